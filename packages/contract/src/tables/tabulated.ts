import type { Conditions, Detection, Prediction, Recording } from '../prediction.ts';

/** The part of a prediction that tables are made of; every prediction is one. */
export interface Tabulated extends Pick<Prediction, 'detections' | 'conditions' | 'model' | 'corrections'> {
  readonly recording: Pick<Recording, 'fileName' | 'durationSeconds' | 'sampleRate'>;
}

/** What of a prediction is written to a file, and how. */
export interface TableOptions {
  /** Keeps what the place hides, marked as such; it is left out otherwise. */
  readonly showHidden?: boolean;
  /** Lowest confidence, 0–1. What the place hides has none, and is not held to it. */
  readonly minConfidence?: number;
  /** For people who open the file in a spreadsheet: names that it would run as a formula are made text. CSV only. */
  readonly excelSafe?: boolean;
}

/** Whether the place hides the bird of a detection. Answers of before this was told with each have no confidence there. */
export function isHidden({ hidden, confidence }: Pick<Detection, 'hidden' | 'confidence'>, { latitude }: Conditions): boolean {
  return hidden ?? (latitude !== null && confidence === 0);
}

/** The detections that a file about the prediction has, each with whether it is hidden. */
export function listedDetections(
  { detections, conditions }: Pick<Prediction, 'detections' | 'conditions'>,
  { showHidden = false, minConfidence = 0 }: TableOptions = {},
): (Detection & { readonly hidden: boolean })[] {
  return detections
    .map((detection) => ({ ...detection, hidden: isHidden(detection, conditions) }))
    .filter(({ hidden, confidence }) => (hidden ? showHidden : confidence >= minConfidence));
}

/** A prediction as files of JSON have it: the same detections as the tables. */
export function listedPrediction(prediction: Prediction, options: TableOptions = {}): Prediction {
  const { minConfidence = 0 } = options;
  return {
    ...prediction,
    detections: listedDetections(prediction, options),
    candidates: prediction.candidates.filter(({ confidence }) => confidence >= minConfidence),
  };
}

/** What was said about each bird, by scientific name: `confirmed`, `rejected`, `corrected to Eurasian Wren`. */
export function reviews({ corrections = [] }: Pick<Prediction, 'corrections'>): ReadonlyMap<string, string> {
  return new Map(
    corrections.map(({ scientificName, kind, correctedTo, correctedToCommonName }) => [
      scientificName,
      kind === 'corrected' ? `corrected to ${correctedToCommonName ?? correctedTo}` : kind,
    ]),
  );
}

/** Seconds with as many digits as are needed and at most three: `3`, `1.5`, `10.007`. */
export function seconds(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** A score, confidence or occurrence: four digits, as BirdNET-Analyzer writes them. */
export function share(value: number): string {
  return value.toFixed(4);
}

/** Text on one line and in one column of a tab-separated table, which knows no quotes: tabs and line breaks become spaces. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ');
}
