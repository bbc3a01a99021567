import { listedPrediction, type TableOptions } from '@chiffchaff/contract';
import type { Format } from '../options.ts';
import { createAnalyzer, createAudacity, createCsv, createKaleidoscope, createRaven } from './detection-tables.ts';
import type { OutputFormat } from './outcome.ts';
import { createReadableTable } from './readable-table.ts';

export const outputFormats: Readonly<Record<Format, (tables: TableOptions) => OutputFormat>> = {
  table: createReadableTable,
  json: createJsonLines,
  csv: createCsv,
  raven: createRaven,
  audacity: createAudacity,
  analyzer: createAnalyzer,
  kaleidoscope: createKaleidoscope,
};

/** File name endings in a run with several formats. */
export const fileEndings: Readonly<Record<Format, string>> = {
  table: '.txt',
  json: '.jsonl',
  csv: '.csv',
  raven: '.raven.txt',
  audacity: '.audacity.txt',
  analyzer: '.analyzer.csv',
  kaleidoscope: '.kaleidoscope.csv',
};

/** One line per file: `{"file", "prediction"}` or `{"file", "error": {"code", "message"}}`. */
function createJsonLines(tables: TableOptions): OutputFormat {
  return {
    one: (outcome) =>
      `${JSON.stringify(
        outcome.kind === 'answered'
          ? { file: outcome.shownAs, prediction: listedPrediction(outcome.prediction, tables) }
          : { file: outcome.shownAs, error: { code: outcome.code, message: outcome.message } },
      )}\n`,
  };
}
