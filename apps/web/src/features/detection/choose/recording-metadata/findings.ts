import type { WrittenPlace } from './written-place.ts';

/** What a reader of one kind of file found in it. */
export interface Findings {
  /** ISO date that the recorder wrote as such. */
  date: string | null;
  /** ISO date on which the file was made, which may be that of a later copy: believed last. */
  madeOn: string | null;
  place: WrittenPlace | null;
}

export const nothingFound = (): Findings => ({ date: null, madeOn: null, place: null });
