import { csvColumns, harmless, reviewsByBird, seconds, share } from '@chiffchaff/contract';
import { utcText } from '../recording-time.ts';
import type { SurveyRow } from './surveyed.ts';

/** A value of a table; null when unknown. */
export type Value = string | number | boolean | null;

/** A column of our own tables (CSV, JSON lines, Parquet): one list for all formats, so that they agree. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'number' | 'whole' | 'truth';
  readonly of: (row: SurveyRow) => Value;
  /** Formats a number where text is needed; without it, the number stays as it is. */
  readonly shown?: (value: number) => string;
}

type OfContract = (typeof csvColumns)[number];

const number = (of: Column['of'], shown?: Column['shown']): Omit<Column, 'name'> => ({
  type: 'number',
  of,
  ...(shown && { shown }),
});
const whole = (of: Column['of']): Omit<Column, 'name'> => ({ type: 'whole', of });
const text = (of: (row: SurveyRow) => string | null | undefined): Omit<Column, 'name'> => ({
  type: 'text',
  of: (row) => of(row) ?? null,
});
const conditions = ({ surveyed }: SurveyRow) => surveyed.prediction.conditions;
const reviewOf = ({ surveyed, detection }: SurveyRow) => reviewsByBird(surveyed.prediction).get(detection.scientificName);

const ofContract: Readonly<Record<OfContract, Omit<Column, 'name'>>> = {
  'Start (s)': number(({ detection }) => detection.startSeconds, seconds),
  'End (s)': number(({ detection }) => detection.endSeconds, seconds),
  'Scientific name': text(({ detection }) => detection.scientificName),
  'Common name': text(({ detection }) => detection.commonName),
  Score: number(({ detection }) => detection.score, share),
  Confidence: number(({ detection }) => detection.confidence, share),
  Occurrence: number(({ detection }) => detection.occurrence ?? null, share),
  Hidden: { type: 'truth', of: ({ detection }) => detection.hidden },
  File: text(({ surveyed, options }) => {
    const { fileName } = surveyed.prediction.recording;
    return fileName !== null && options.excelSafe ? harmless(fileName) : fileName;
  }),
  Latitude: number((row) => conditions(row).latitude),
  Longitude: number((row) => conditions(row).longitude),
  Date: text((row) => row.heard?.date ?? conditions(row).date),
  Week: whole((row) => conditions(row).week),
  'Min score': number((row) => conditions(row).minScore),
  'Min confidence': number(({ options }) => options.minConfidence ?? 0),
  'Overlap (s)': number((row) => conditions(row).overlapSeconds, seconds),
  Model: text(({ surveyed }) => surveyed.prediction.model.id),
  'Time zone': text((row) => conditions(row).timeZone),
  Review: text((row) => reviewOf(row)?.review),
  'Reviewed as': text((row) => reviewOf(row)?.reviewedAs),
};

/** The columns of all our CSV, then those of surveys. */
export const columns: readonly Column[] = [
  ...csvColumns.map((name) => ({ name, ...ofContract[name] })),
  {
    name: 'Site',
    ...text(({ surveyed, options }) => (options.excelSafe ? harmless(surveyed.circumstances.site) : surveyed.circumstances.site)),
  },
  { name: 'Time', ...text(({ heard }) => heard?.time) },
  { name: 'UTC', ...text(({ heard }) => (heard ? utcText(heard) : null)) },
  { name: 'Temperature (°C)', ...number(({ surveyed }) => surveyed.circumstances.temperature) },
  { name: 'Recorder', ...text(({ surveyed }) => surveyed.circumstances.recorder) },
];
