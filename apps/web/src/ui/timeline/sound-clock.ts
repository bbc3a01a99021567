import type { KeptMoment } from '@chiffchaff/contract';

/** Between moments of the recording and of the sound that is played: the same, unless only parts of the recording were kept. */
export interface SoundClock {
  /** A moment that was not kept leads to the next that was, after the last one to the end. */
  toSound(recordingSeconds: number): number;
  toRecording(soundSeconds: number): number;
}

/** @param moments in order and apart from each other; absent when the sound is the whole recording */
export function createSoundClock(moments?: readonly KeptMoment[]): SoundClock {
  const [first] = moments ?? [];
  if (!moments || !first) return { toSound: (seconds) => seconds, toRecording: (seconds) => seconds };
  return {
    toSound(recordingSeconds) {
      const moment = moments.find(({ endSeconds }) => recordingSeconds < endSeconds) ?? moments.at(-1) ?? first;
      const within = Math.min(Math.max(recordingSeconds, moment.startSeconds), moment.endSeconds) - moment.startSeconds;
      return moment.offsetSeconds + within;
    },
    toRecording(soundSeconds) {
      const moment = moments.findLast(({ offsetSeconds }) => offsetSeconds <= soundSeconds) ?? first;
      return Math.min(moment.startSeconds + soundSeconds - moment.offsetSeconds, moment.endSeconds);
    },
  };
}
