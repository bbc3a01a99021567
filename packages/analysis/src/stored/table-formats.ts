import {
  audacityLabels,
  CSV_HEADER,
  csvReviewRows,
  csvRows,
  type ExportFormat,
  listedPrediction,
  markOf,
  type Prediction,
  ravenHeader,
  ravenRows,
  ravenStart,
  type TableOptions,
} from '@chiffchaff/contract';

/** Writes a table of one prediction's detections, piece by piece. */
export interface TableFormat {
  readonly type: string;
  readonly ending: string;
  readonly head: (options: TableOptions) => string;
  /**
   * @param part the prediction with some of its detections, @param selectionsBefore number of rows in earlier parts; `next` includes those
   * of this one
   */
  readonly rows: (
    part: Prediction,
    options: TableOptions,
    selectionsBefore: number,
  ) => { readonly rows: string; readonly next: number };
  /** The rows of birds that only a review names. @param listed the birds with rows */
  readonly reviewRows?: (prediction: Prediction, listed: ReadonlySet<string>, options: TableOptions) => string;
}

export type TableName = Exclude<ExportFormat, 'json'>;

export const tableFormats: Readonly<Record<TableName, TableFormat>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    ending: 'csv',
    head: (options) => markOf(options) + CSV_HEADER,
    rows: (part, options, next) => ({ rows: csvRows(part, options), next }),
    reviewRows: csvReviewRows,
  },
  raven: {
    type: 'text/tab-separated-values; charset=utf-8',
    ending: 'selections.txt',
    head: ravenHeader,
    rows(part, options, selectionsBefore) {
      const { rows, next } = ravenRows(part, { ...ravenStart, selectionsBefore }, options);
      return { rows, next: next.selectionsBefore };
    },
  },
  audacity: {
    type: 'text/plain; charset=utf-8',
    ending: 'labels.txt',
    head: () => '',
    rows: (part, options, next) => ({ rows: audacityLabels(part, options), next }),
  },
};

/** A JSON file: the prediction with the detections and candidates that `options` select, or as it is. */
export const jsonFile = (prediction: Prediction, options: TableOptions | null): string =>
  `${JSON.stringify(options === null ? prediction : listedPrediction(prediction, options), null, 2)}\n`;
