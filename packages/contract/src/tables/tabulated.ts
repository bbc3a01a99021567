import type { Detection, Prediction, Recording } from '../prediction.ts';
import { reviewedAs } from '../reviewed-as.ts';

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

/** What the owner says about a bird of a prediction, as tables write it. */
export interface TabulatedReview {
  /** `confirmed`, `confirmed in bulk`, `rejected`, `corrected to Eurasian Wren`, `added` */
  readonly review: string;
  /** scientific name of what it was; null for a rejected bird */
  readonly reviewedAs: string | null;
}

/** The review of each bird, by scientific name. */
export function reviewsByBird({ reviews = [] }: Pick<Prediction, 'reviews'>): ReadonlyMap<string, TabulatedReview> {
  return new Map(
    reviews.map((review) => {
      const { scientificName, verdict, to, toCommonName, bulk = false } = review;
      return [
        scientificName,
        {
          review: verdict === 'corrected' ? `corrected to ${toCommonName ?? to}` : bulk ? `${verdict} in bulk` : verdict,
          reviewedAs: reviewedAs(review)?.scientificName ?? null,
        },
      ];
    }),
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
