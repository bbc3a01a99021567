import type { KeptMoment } from '@chiffchaff/contract';
import type { Span } from '../../../platform/format/format.ts';

/**
 * Converts between times in the recording and in the sound that is played. They are equal unless only excerpts of the recording were kept.
 */
export interface SoundClock {
  /** A time between excerpts maps to the start of the next one, a time after the last to its end. */
  toSound(recordingSeconds: number): number;
  toRecording(soundSeconds: number): number;
}

/** @param excerpts in order, without overlap; absent when the sound is the whole recording */
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

/** Gaps shorter than this, in seconds, come from rounding an excerpt's times. */
const LEAST_SECONDS = 0.05;

/** The stretches of a recording outside these, in order. @param excerpts in order, without overlap; absent when they are all of it */
export function findGaps(excerpts: readonly Span[] | undefined, durationSeconds: number): readonly Span[] {
  if (!excerpts) return [];
  const ends = [0, ...excerpts.map(({ endSeconds }) => endSeconds)];
  const starts = [...excerpts.map(({ startSeconds }) => startSeconds), durationSeconds];
  return ends
    .map((startSeconds, index) => ({ startSeconds, endSeconds: starts[index] ?? durationSeconds }))
    .filter(({ startSeconds, endSeconds }) => endSeconds - startSeconds > LEAST_SECONDS);
}
