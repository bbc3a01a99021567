import { offsetText } from '../recording-time.ts';
import type { Observation, SurveyRecording } from './survey-records.ts';
import type { TableMoment } from './table-moment.ts';

/** `2026-05-01T05:12:44+02:00`; whole seconds, as exchange standards require. */
export function zonedText(epochMs: number, offsetMinutes: number): string {
  return `${new Date(epochMs + offsetMinutes * 60_000).toISOString().slice(0, 19)}${offsetText(offsetMinutes)}`;
}

/** A span of time by the clock of its place. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
  readonly offsetMinutes: number;
  /** Of its end, if clocks changed in between. */
  readonly endOffsetMinutes?: number;
}

const known = ({ epochMs, offsetMinutes }: TableMoment): { epochMs: number; offsetMinutes: number } | null =>
  epochMs === null || offsetMinutes === null ? null : { epochMs, offsetMinutes };

/** Null when the start in UTC or the length of the recording is unknown. */
export function spanOfRecording({ moment, seconds }: SurveyRecording): Span | null {
  const began = known(moment);
  if (began === null || seconds === null) return null;
  return { startMs: began.epochMs, endMs: began.epochMs + seconds * 1000, offsetMinutes: began.offsetMinutes };
}

/** Uses the detection's own offset, because clocks may change within a recording. */
export function spanOfObservation({ recording, moment, startSeconds, endSeconds }: Observation): Span | null {
  const began = known(recording.moment);
  if (began === null) return null;
  return {
    startMs: began.epochMs + startSeconds * 1000,
    endMs: began.epochMs + endSeconds * 1000,
    offsetMinutes: known(moment)?.offsetMinutes ?? began.offsetMinutes,
  };
}

/** Start and end of a span, each as `zonedText`. */
export const spanTexts = (span: Span): readonly [string, string] => [
  zonedText(span.startMs, span.offsetMinutes),
  zonedText(span.endMs, span.endOffsetMinutes ?? span.offsetMinutes),
];
