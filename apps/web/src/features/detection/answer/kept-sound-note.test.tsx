import type { KeptAudio } from '@chiffchaff/contract';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { KeptSoundNote } from './answer-stage.tsx';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 4, 1, 6, 0) });
});
afterEach(() => void vi.useRealTimers());

/** In the browser's time zone. */
const at = (month: number, day: number, hours: number, minutes: number) =>
  new Date(2026, month - 1, day, hours, minutes).toISOString();
const noteOf = (keptAudio: KeptAudio | null) => renderPage(<KeptSoundNote keptAudio={keptAudio} />).container.textContent;

it('The note about kept audio says until which day short clips are kept', () => {
  expect(noteOf({ kind: 'moments', keptUntil: at(5, 31, 6, 0) })).toBe('Short clips are kept until May 31, 2026.');
});

it('The note about kept audio gives the last day of the whole recording apart from that of short clips', () => {
  const copy = { kind: 'recording', keptUntil: at(5, 1, 6, 30) } as const;
  expect(noteOf({ ...copy, momentsKeptUntil: at(5, 31, 6, 0) })).toBe(
    'The recording is kept until May 1, 2026, 6:30 AM, short clips of it until May 31, 2026.',
  );
  expect(noteOf(copy)).toBe('The recording is kept until May 1, 2026, 6:30 AM.');
});

it('The note about kept audio gives the hour for audio that is removed within a day, and omits removed audio', () => {
  expect(noteOf({ kind: 'moments', keptUntil: at(5, 1, 20, 0) })).toBe('Short clips are kept until May 1, 2026, 8:00 PM.');
  expect(noteOf({ kind: 'moments', keptUntil: at(5, 1, 5, 59) })).toBe('No audio is kept.');
  expect(noteOf({ kind: 'recording', keptUntil: at(5, 1, 5, 59), momentsKeptUntil: at(5, 31, 6, 0) })).toBe(
    'Short clips are kept until May 31, 2026.',
  );
  expect(noteOf(null)).toBe('No audio is kept.');
});
