import type { WrittenPlace, WrittenTime } from './written-values.ts';

export interface Findings {
  /** The start that the recorder stated explicitly. */
  time: WrittenTime | null;
  /** ISO date on which the file was made, possibly that of a later copy, so it is used last. */
  madeOn: string | null;
  place: WrittenPlace | null;
  serial: string | null;
  temperature: number | null;
}
