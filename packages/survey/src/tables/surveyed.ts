import type { Detection, TableOptions, Tabulated } from '@chiffchaff/contract';
import { listedDetections } from '@chiffchaff/contract';
import type { Circumstances } from '../circumstances.ts';
import { type RecordingTime, timeWithin } from '../recording-time.ts';

/** A recording with its prediction and circumstances. */
export interface Surveyed {
  readonly prediction: Tabulated;
  readonly circumstances: Circumstances;
}

/** One row of a table: a detection and its recording. */
export interface SurveyRow {
  readonly detection: Detection & { readonly hidden: boolean };
  /** when it was heard; null when not even the day is known */
  readonly heard: RecordingTime | null;
  readonly surveyed: Surveyed;
  readonly options: TableOptions;
}

/** The rows of one recording, by time. */
export function* rowsOf(surveyed: Surveyed, options: TableOptions): Generator<SurveyRow, void> {
  const { began } = surveyed.circumstances;
  for (const detection of listedDetections(surveyed.prediction, options)) {
    yield { detection, heard: began && timeWithin(began, detection.startSeconds), surveyed, options };
  }
}
