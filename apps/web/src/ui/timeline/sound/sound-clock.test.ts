import { expect, it } from 'vitest';
import { createSoundClock } from './sound-clock.ts';

const excerpts = [
  { startSeconds: 10, endSeconds: 14, offsetSeconds: 0 },
  { startSeconds: 60, endSeconds: 63, offsetSeconds: 4 },
];

it('The times in kept audio of a whole recording are those of the recording', () => {
  const clock = createSoundClock();
  expect([clock.toSound(12.5), clock.toRecording(12.5)]).toEqual([12.5, 12.5]);
});

it.each([
  [10, 0],
  [13.5, 3.5],
  [60, 4],
  [62, 6],
])('The times in kept excerpts map second %d of the recording to second %d of the audio', (recording, sound) => {
  const clock = createSoundClock(excerpts);
  expect(clock.toSound(recording)).toBe(sound);
  expect(clock.toRecording(sound)).toBe(recording);
});

it('The times in kept excerpts map a gap to the next excerpt, and the end of the recording to the end of the audio', () => {
  const clock = createSoundClock(excerpts);
  expect([2, 14, 30, 100].map(clock.toSound)).toEqual([0, 4, 4, 7]);
  expect([7, 9].map(clock.toRecording)).toEqual([63, 63]);
});
