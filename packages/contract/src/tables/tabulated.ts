import type { BirdReview } from '../bird-reviews.ts';
import { reviewedAs } from '../named-birds.ts';
import type { Detection, Prediction, Recording } from '../prediction.ts';

/** The part of a prediction that tables need; every prediction fits. */
export interface Tabulated extends Pick<Prediction, 'detections' | 'conditions' | 'model' | 'reviews'> {
  readonly recording: Pick<Recording, 'fileName' | 'durationSeconds' | 'sampleRate'>;
}

/** Which detections a file contains, and how it is written. */
export interface TableOptions {
  /** Includes birds hidden by the place, marked as such. */
  readonly showHidden?: boolean;
  /** Minimum confidence, 0–1. Does not apply to hidden birds. */
  readonly minConfidence?: number;
  /** For files that people open in a spreadsheet: marked as UTF-8, and names that it would run as a formula become text. CSV only. */
  readonly excelSafe?: boolean;
  /** Whether sounds that are no birds were asked for: a column says of which kind each row is. */
  readonly sounds?: boolean;
  /** The channel that was analysed, counted from 1; all when absent. */
  readonly channel?: number | undefined;
  /** How fast the recording was played; 1 when absent. */
  readonly speed?: number | undefined;
}

/** The detections that a file contains, each with whether it is hidden. */
export function listedDetections(
  { detections }: Pick<Prediction, 'detections'>,
  { showHidden = false, minConfidence = 0 }: TableOptions = {},
): Detection[] {
  return detections.filter(({ hidden, confidence, kind }) =>
    hidden ? showHidden : kind !== undefined || confidence >= minConfidence,
  );
}

/** A prediction as written to JSON files: the same detections as in tables, and only candidates of at least `minConfidence`. */
export function listedPrediction(prediction: Prediction, options: TableOptions = {}): Prediction {
  const { minConfidence = 0 } = options;
  return {
    ...prediction,
    detections: listedDetections(prediction, options),
    candidates: prediction.candidates.filter(({ confidence }) => confidence >= minConfidence),
  };
}

/** What the owner says about each bird of a prediction, by scientific name: `reviewedAs` names what it was, null for a rejected bird. */
export function reviewsByBird({ reviews = [] }: Pick<Prediction, 'reviews'>) {
  const write = ({ verdict, to, toCommonName, bulk }: BirdReview): string => {
    if (verdict === 'corrected') return `corrected to ${toCommonName ?? to}`;
    return bulk ? `${verdict} in bulk` : verdict;
  };
  return new Map(
    reviews.map((review) => [
      review.scientificName,
      { review: write(review), reviewedAs: reviewedAs(review)?.scientificName ?? null },
    ]),
  );
}

/** The birds with a row of their own in a table. */
export const listedBirds = (part: Pick<Prediction, 'detections'>, options?: TableOptions): ReadonlySet<string> =>
  new Set(listedDetections(part, options).map(({ scientificName }) => scientificName));

/** Seconds with at most three decimals: `3`, `1.5`, `10.007`. */
export function seconds(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** A score, confidence or occurrence, with four decimals as in BirdNET-Analyzer. */
export function share(value: number): string {
  return value.toFixed(4);
}

/** The cells of a detection that every table writes alike. Confidence is of birds alone; TRUE is read by spreadsheets, R and pandas. */
export const asText = ({ score, confidence, occurrence, hidden, kind }: Detection) => ({
  score: share(score),
  confidence: kind === undefined ? share(confidence) : '',
  occurrence: occurrence === null ? '' : share(occurrence),
  hidden: hidden ? 'TRUE' : 'FALSE',
});

/** A cell of the column `Kind`, which exists if sounds were asked for. */
export const kindColumn = ({ sounds = false }: TableOptions, cell: string = 'bird'): string[] => (sounds ? [cell] : []);

/** Makes text fit one cell of a tab-separated table, which has no quoting: tabs and line breaks become spaces. */
export function onOneLine(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ');
}
