import type { FileNote } from '@chiffchaff/contract';
import type { WrittenPlace, WrittenTime } from './written-values.ts';

export interface Findings {
  /** The start that the recorder stated explicitly. */
  time: WrittenTime | null;
  /** Milliseconds since 1970 at which the file was made, possibly a later copy, so it is used last. */
  madeAtMs: number | null;
  place: WrittenPlace | null;
  serial: string | null;
  temperature: number | null;
  notes: readonly FileNote[];
}
