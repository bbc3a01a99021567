import type { FormattedAnswer, Question } from '@chiffchaff/analysis';
import type { Prediction, TableOptions } from '@chiffchaff/contract';
import type { Evidence } from '@chiffchaff/recognizer';
import type { TableName } from '../table-formats.ts';

/** Evidence as rows hold it, and what is to be answered from it. `head` is the prediction without detections. */
export interface StoredEvidence {
  readonly head: Prediction;
  /** deflated, in order */
  readonly parts: readonly Uint8Array[];
  readonly question: Question;
}

/** What the thread can be asked, and what it answers. */
export interface Tasks {
  /** JSON of a stored answer, with no more detections than an answer may hold. */
  readonly text: { readonly task: { readonly answer: Uint8Array }; readonly result: Uint8Array };
  /** The same as a file of JSON. */
  readonly file: { readonly task: { readonly answer: Uint8Array; readonly options: TableOptions }; readonly result: Uint8Array };
  readonly head: { readonly task: { readonly answer: Uint8Array }; readonly result: Prediction };
  /** The evidence of a fresh analysis goes there and comes back. */
  readonly answer: {
    readonly task: { readonly evidence: Evidence; readonly question: Question };
    readonly result: { readonly worded: FormattedAnswer; readonly evidence: Evidence };
  };
  /** JSON of the prediction under other conditions. */
  readonly reconsider: { readonly task: StoredEvidence; readonly result: Uint8Array };
  /** Begins a table: of the detections that a stored answer holds, or of all that its evidence gives. */
  readonly openTable: {
    readonly task: {
      readonly name: TableName;
      readonly options: TableOptions;
      readonly source: StoredEvidence | { readonly answer: Uint8Array };
    };
    /** its name from then on */
    readonly result: string;
  };
  /** The next piece of a table; null at its end. */
  readonly readTable: { readonly task: { readonly table: string }; readonly result: Uint8Array | null };
  readonly closeTable: { readonly task: { readonly table: string }; readonly result: null };
}

export type TaskName = keyof Tasks;

/** One at a time: the next is sent when this has been answered. */
export type ThreadRequest = {
  readonly [Name in TaskName]: { readonly name: Name; readonly task: Tasks[Name]['task'] };
}[TaskName];

export type ThreadReply = { readonly result: Tasks[TaskName]['result'] } | { readonly error: string };

/** The memory of these may change hands instead of being copied. */
export function buffersOf({ clips, passages }: Evidence): ArrayBuffer[] {
  const columns = [...Object.values(clips), ...Object.values(passages)].filter((column) => ArrayBuffer.isView(column));
  return [...new Set(columns.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
}
