import { audacityLabels, markOf, ravenHeader, ravenRows, ravenStart, type TableOptions } from '@chiffchaff/contract';
import {
  analyzerHeader,
  analyzerRows,
  fileCell,
  kaleidoscopeHeader,
  kaleidoscopeRows,
  surveyCsvHeader,
  surveyCsvRows,
} from '@chiffchaff/survey';
import type { OutputFormat } from './outcome.ts';

/** One table over all recordings; a recording that could not be read has no rows (standard error names it). */
export function createCsv(tables: TableOptions): OutputFormat {
  return {
    head: markOf(tables) + surveyCsvHeader(tables),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction, circumstances } = outcome;
      // The path as given distinguishes files of the same name in different folders.
      const recording = { ...prediction.recording, fileName: fileCell(outcome.shownAs, tables) };
      return surveyCsvRows({ prediction: { ...prediction, recording }, circumstances }, tables);
    },
  };
}

/**
 * One selection table over all recordings, combined as in BirdNET-Analyzer: times continue from file to file, in the order of the list of
 * files that `openTables` writes; `Begin Path` and `File Offset` identify the file.
 */
export function createRaven(tables: TableOptions): OutputFormat {
  let position = ravenStart;
  return {
    head: ravenHeader(tables),
    one: (outcome) => {
      if (outcome.kind === 'failed') return '';
      const { prediction } = outcome;
      // Raven opens recordings by this path, wherever the table is.
      const recording = { ...prediction.recording, fileName: outcome.path };
      const { rows, next } = ravenRows({ ...prediction, recording }, position, tables);
      position = next;
      return rows;
    },
  };
}

/** One CSV over all recordings, combined as in BirdNET-Analyzer, with absolute paths as there. */
const combined =
  (head: (tables: TableOptions) => string, rows: typeof analyzerRows) =>
  (tables: TableOptions): OutputFormat => ({
    head: head(tables),
    one: (outcome) => (outcome.kind === 'failed' ? '' : rows(outcome, outcome.path, tables)),
  });
export const createAnalyzer = combined(analyzerHeader, analyzerRows);
export const createKaleidoscope = combined(kaleidoscopeHeader, kaleidoscopeRows);

/** The label track of one recording: Audacity's labels have no file names. */
export function createAudacity(tables: TableOptions): OutputFormat {
  return { one: (outcome) => (outcome.kind === 'failed' ? '' : audacityLabels(outcome.prediction, tables)) };
}
