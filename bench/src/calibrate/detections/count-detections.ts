import type { ConfidenceEvidence } from '@chiffchaff/contract';
import { type Calibration, sigmoid } from '@chiffchaff/recognizer';
import { calibrationError, surestWith } from '../../evaluate/metrics.ts';
import { countWords, rounded } from '../count-evidence.ts';
import type { DetectionRow } from './detection-rows.ts';

type DetectionCounts = NonNullable<ConfidenceEvidence['detections']>['tested']['separate'];

export interface JudgedRow extends DetectionRow {
  readonly confidence: number;
}

const BINS = 10;

/** @param birds number of recordings in which a bird can be found */
export function countDetections(rows: readonly JudgedRow[], birds: number, words: Calibration['words']): DetectionCounts {
  const passageOf = ({ inputs }: JudgedRow): number => sigmoid(inputs.passage);
  const foundBy = (certaintyOf: (row: JudgedRow) => number) => ({
    at90: rounded(foundAt(rows, certaintyOf, 0.9) / birds),
    at95: rounded(foundAt(rows, certaintyOf, 0.95) / birds),
  });
  const errorOf = (certaintyOf: (row: JudgedRow) => number): number =>
    rounded(
      calibrationError(
        rows.map((row) => ({ certainty: certaintyOf(row), right: row.right })),
        BINS,
      ) ?? 0,
    );
  const answers = rows.map(({ confidence, right, recording }) => ({
    recording: recording.row.file,
    certainty: confidence,
    right,
  }));
  return {
    birds,
    detections: rows.length,
    right: rows.filter(({ right }) => right).length,
    found: {
      score: foundBy(({ score }) => score),
      passage: foundBy(passageOf),
      confidence: foundBy(({ confidence }) => confidence),
    },
    calibrationError: { passage: errorOf(passageOf), confidence: errorOf(({ confidence }) => confidence) },
    words: countWords(answers, words),
  };
}

/** The number of recordings with a right detection among the most confident detections, as many as keep at least this precision. */
function foundAt(rows: readonly JudgedRow[], certaintyOf: (row: JudgedRow) => number, precision: number): number {
  const judged = rows.map((row) => ({ right: row.right, recording: row.recording, certainty: certaintyOf(row) }));
  return new Set(surestWith(judged, precision).flatMap(({ right, recording }) => (right ? [recording] : []))).size;
}
