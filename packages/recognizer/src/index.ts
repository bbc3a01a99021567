/** Sound in, detections out. The core depends on no runtime: callers pass it samples and a model. */
export { createSoundCheckUp, type SoundFinding } from './audio/check-up/check-up.ts';
export { createDownmix, downmix, pickChannel } from './audio/downmix.ts';
export { createSpeechMeter, type SpeechLogOdds } from './audio/speech.ts';
export { gatherBytes } from './bytes.ts';
export type { CancelSignal } from './cancel-signal.ts';
export { logOdds, sigmoid } from './detection/activation.ts';
export type * from './detection/answer.ts';
export { speechIn } from './detection/check-up.ts';
export { eachClipRun } from './detection/clip-runs.ts';
export { conclude, DEFAULT_TOP, listDetections } from './detection/conclude.ts';
export type { DetectionInputs } from './detection/confidence/clip-run-confidence.ts';
export { LEAST_FURTHER, workOutConfidences } from './detection/confidence/confidence.ts';
export type { ConfidenceInputs } from './detection/confidence/confidence-inputs.ts';
export { sharedRanges } from './detection/confidence/shared-range.ts';
export { clipCountOf, clipSpan, type Evidence, LOGIT_STEP, type Logits, type TimeSpan } from './detection/evidence/evidence.ts';
export { decodeEvidence, encodeEvidenceInPieces } from './detection/evidence/evidence-codec.ts';
export type { EvidenceCheckpoint } from './detection/evidence/evidence-collector.ts';
export {
  type LocationAdjustment,
  locationAdjustment,
  occurrenceFromByte,
  occurrenceToByte,
  weekOf,
} from './detection/occurrence.ts';
export { workOutScores } from './detection/recording-scores.ts';
export { confidenceWordOf } from './detection/verdict.ts';
export { RecognizerError, type RecognizerErrorCode, type RecognizerErrorDetails } from './errors.ts';
export { genusOf, type Label, type LabelKind, type ModelKnowledge, readSpeciesTable, type SpeciesTable } from './model/labels.ts';
export * from './model/manifest.ts';
export type { ClipJob, ClipRunner, ClipSlot, OccurrenceRunner, PlaceAndWeek } from './model/session.ts';
export * from './model/stored-body.ts';
export {
  type CollectOptions,
  type CollectProgress,
  createRecognizer,
  type EarlyDetection,
  type Recognizer,
} from './recognizer.ts';
