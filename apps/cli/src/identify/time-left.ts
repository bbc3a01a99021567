import { extname } from 'node:path';
import type { Recording } from './find-recordings.ts';

/** Recordings whose names end alike, which tell of each other how long they are. */
type Kind = typeof NONE;
const NONE = { leftBytes: 0, doneBytes: 0, doneSeconds: 0 };

/** A shorter time says little about the rate: files are not cached yet, and few recordings are done. */
const LEAST_SECONDS = 10;

/**
 * Estimates how long a run still takes: the audio that is left, by the length of the recordings of its kind that are done, at the rate of
 * this run.
 */
export function createTimeLeft() {
  const beganMs = performance.now();
  const kinds = new Map<string, Kind>();
  let analysedSeconds = 0;
  const kindOf = ({ path }: Recording): Kind => {
    const ending = extname(path).toLowerCase();
    const kind = kinds.get(ending) ?? { ...NONE };
    kinds.set(ending, kind);
    return kind;
  };
  const audioIn = (bytes: number, { doneBytes, doneSeconds }: Kind) => (bytes * doneSeconds) / Math.max(1, doneBytes);
  return {
    add(recording: Recording): void {
      kindOf(recording).leftBytes += recording.bytes;
    },
    /** @param seconds of audio; null: not known. `isNew`: analysed in this run */
    done(recording: Recording, { seconds, isNew }: { readonly seconds: number | null; readonly isNew: boolean }): void {
      const kind = kindOf(recording);
      kind.leftBytes -= recording.bytes;
      if (seconds === null) return;
      kind.doneBytes += recording.bytes;
      kind.doneSeconds += seconds;
      if (isNew) analysedSeconds += seconds;
    },
    /**
     * @param inWork share of each recording that is done, 0–1
     * @returns null when nothing is left, or nothing to go by: no recording of some kind is done yet, or the run has just begun
     */
    seconds(inWork: ReadonlyMap<Recording, number>): number | null {
      const runSeconds = (performance.now() - beganMs) / 1000;
      const left = [...kinds.values()].filter(({ leftBytes }) => leftBytes > 0);
      const isUnknown = runSeconds < LEAST_SECONDS || left.some(({ doneBytes }) => doneBytes === 0);
      if (isUnknown || analysedSeconds === 0 || left.length === 0) return null;
      const sum = (seconds: readonly number[]) => seconds.reduce((total, each) => total + each, 0);
      const partly = sum([...inWork].map(([recording, share]) => share * audioIn(recording.bytes, kindOf(recording))));
      const audioSeconds = sum(left.map((kind) => audioIn(kind.leftBytes, kind))) - partly;
      return (Math.max(0, audioSeconds) * runSeconds) / (analysedSeconds + partly);
    },
  };
}
