import type { KeptMoment } from '@chiffchaff/contract';

/** Between times of the recording and of the sound that is played: the same, unless only parts of the recording were kept. */
export interface SoundClock {
  /** A time that was not kept leads to the next that was, after the last one to the end. */
  toSound(recordingSeconds: number): number;
  toRecording(soundSeconds: number): number;
}

/** @param excerpts in order and apart from each other; absent when the sound is the whole recording */
export function createSoundClock(excerpts?: readonly KeptMoment[]): SoundClock {
  const [first] = excerpts ?? [];
  if (!excerpts || !first) return { toSound: (seconds) => seconds, toRecording: (seconds) => seconds };
  return {
    toSound(recordingSeconds) {
      const excerpt = excerpts.find(({ endSeconds }) => recordingSeconds < endSeconds) ?? excerpts.at(-1) ?? first;
      const within = Math.min(Math.max(recordingSeconds, excerpt.startSeconds), excerpt.endSeconds) - excerpt.startSeconds;
      return excerpt.offsetSeconds + within;
    },
    toRecording(soundSeconds) {
      const excerpt = excerpts.findLast(({ offsetSeconds }) => offsetSeconds <= soundSeconds) ?? first;
      return Math.min(excerpt.startSeconds + soundSeconds - excerpt.offsetSeconds, excerpt.endSeconds);
    },
  };
}

type Stretch = Pick<KeptMoment, 'startSeconds' | 'endSeconds'>;

/** Shorter than this is the rounding of an excerpt's times, in seconds. */
const LEAST_SECONDS = 0.05;

/** The stretches of a recording whose sound was not kept, in order. @param excerpts in order and apart; absent when all was kept */
export function findNotKept(excerpts: readonly Stretch[] | undefined, durationSeconds: number): readonly Stretch[] {
  if (!excerpts) return [];
  const ends = [0, ...excerpts.map(({ endSeconds }) => endSeconds)];
  const starts = [...excerpts.map(({ startSeconds }) => startSeconds), durationSeconds];
  return ends
    .map((startSeconds, index) => ({ startSeconds, endSeconds: starts[index] ?? durationSeconds }))
    .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > LEAST_SECONDS);
}
