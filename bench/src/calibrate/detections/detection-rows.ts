import {
  clipSpan,
  type DetectionInputs,
  type Evidence,
  eachClipRun,
  locationAdjustment,
  logOdds,
  type ModelKnowledge,
  sigmoid,
  type TimeSpan,
  workOutConfidences,
} from '@chiffchaff/recognizer';
import type { AnalyzedRow } from '../../evaluate/analyze-rows.ts';
import type { Piece } from './joined-recordings.ts';

/** A detection of a prediction, and whether it is right. */
export interface DetectionRow {
  readonly score: number;
  readonly inputs: DetectionInputs;
  readonly right: boolean;
  /** the recording that the detection belongs to */
  readonly recording: AnalyzedRow;
}

/** A minimum confidence so high that almost nothing is computed beyond what `inputsInRun` needs. */
const ONLY_INPUTS = 0.9999;

/** The detections of a recording of one bird, or of a bird-free recording. @param occurrence null without a place */
export function rowsOfRecording(recording: AnalyzedRow, model: ModelKnowledge, occurrence: Float32Array | null): DetectionRow[] {
  return rowsOf(recording.evidence, model, occurrence, (name) => ({ recording, right: name === recording.scientificName }));
}

/** Detections of joined recordings. One is right if it touches a piece of its bird; otherwise it belongs to the piece it overlaps most. */
export function rowsOfJoined(evidence: Evidence, pieces: readonly Piece[], model: ModelKnowledge): DetectionRow[] {
  const sharedSeconds = (piece: Piece, { startSeconds, endSeconds }: TimeSpan): number =>
    Math.min(piece.endSeconds, endSeconds) - Math.max(piece.startSeconds, startSeconds);
  return rowsOf(evidence, model, null, (name, span) => {
    const touched = pieces.filter((piece) => sharedSeconds(piece, span) > 0);
    const own = touched.find(({ recording }) => recording.scientificName === name);
    const most = touched.reduce((a, b) => (sharedSeconds(b, span) > sharedSeconds(a, span) ? b : a));
    return { recording: (own ?? most).recording, right: own !== undefined };
  });
}

function rowsOf(
  evidence: Evidence,
  { manifest, species }: ModelKnowledge,
  occurrence: Float32Array | null,
  judge: (scientificName: string, span: TimeSpan) => Pick<DetectionRow, 'recording' | 'right'>,
): DetectionRow[] {
  const { defaults } = manifest;
  // Joined hours have birds of all continents, which are never heard together.
  const calibration = { ...manifest.calibration, furtherBirds: null };
  const withoutPlace = workOutConfidences(evidence, calibration, null, ONLY_INPUTS);
  const adjustmentOf = (label: number) => locationAdjustment(occurrence?.[label] ?? null, calibration.occurrence);
  const confidences =
    occurrence === null ? withoutPlace : workOutConfidences(evidence, calibration, { adjustmentOf, withoutPlace }, ONLY_INPUTS);
  const runs = eachClipRun(evidence, logOdds(defaults.minScore), (label) => species.isBird[label] === 1);
  return Array.from(runs).flatMap((run) => {
    const inputs = confidences.inputsInRun(run, species.isBird);
    const name = species.labels[run.label]?.scientificName ?? '';
    const span = clipSpan(evidence, run.firstClip, run.lastClip);
    return inputs === null ? [] : [{ score: sigmoid(run.peak), inputs, ...judge(name, span) }];
  });
}
