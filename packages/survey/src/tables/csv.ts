import {
  csvColumns,
  csvRows,
  harmless,
  kindColumn,
  type Prediction,
  quote,
  type TableOptions,
  type Tabulated,
} from '@chiffchaff/contract';
import type { Circumstances } from '../circumstances.ts';
import { timeWithin, utcText } from '../recording-time.ts';

/** A value of a table; null when unknown. */
export type Value = string | number | boolean | null;

/** A line of CSV according to RFC 4180, but ended with `\n`. Unknown values are empty. */
export const csvLine = (cells: readonly Value[]): string => `${cells.map((cell) => quote(String(cell ?? ''))).join(',')}\n`;

/** The columns of all our CSV, then those of surveys; `Kind` is the last, if there is one. */
export const surveyCsvHeader = (options: TableOptions = {}): string =>
  csvLine([...csvColumns, 'Site', 'Time', 'UTC', 'Temperature (°C)', 'Recorder', 'Check-up', ...kindColumn(options, 'Kind')]);

/** A recording with its prediction and circumstances. */
export interface Surveyed {
  readonly prediction: Tabulated & Pick<Prediction, 'checkUp'>;
  readonly circumstances: Circumstances;
}

/** One row per detection. `Check-up` has the codes of what was found about its recording. */
export function surveyCsvRows({ prediction, circumstances }: Surveyed, options: TableOptions): string {
  const { began, temperature, recorder } = circumstances;
  const checkUp = prediction.checkUp.map(({ code }) => code).join(' ');
  const site = options.excelSafe ? harmless(circumstances.site) : circumstances.site;
  return csvRows(prediction, options, ({ startSeconds, kind }) => {
    const heard = began && timeWithin(began, startSeconds);
    const when = heard ? [heard.time, utcText(heard)] : ['', ''];
    return {
      date: heard && heard.date,
      cells: [site, ...when, temperature, recorder, checkUp, ...kindColumn(options, kind)],
    };
  });
}
