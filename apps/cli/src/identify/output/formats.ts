import type { Format } from '../options.ts';
import { createAudacity, createCsv, createRaven } from './detection-tables.ts';
import { createJsonLines } from './json-lines.ts';
import type { OutputFormat } from './outcome.ts';
import { createReadableTable } from './readable-table.ts';

const formats: Readonly<Record<Format, (input: { readonly severalRecordings: boolean }) => OutputFormat>> = {
  table: createReadableTable,
  json: createJsonLines,
  csv: createCsv,
  raven: createRaven,
  audacity: createAudacity,
};

export function createOutputFormat(format: Format, input: { readonly severalRecordings: boolean }): OutputFormat {
  return formats[format](input);
}
