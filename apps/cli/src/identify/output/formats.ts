import type { Format } from '../options.ts';
import { createJsonLines } from './json-lines.ts';
import type { OutputFormat } from './outcome.ts';
import { createReadableTable } from './readable-table.ts';

const formats: Readonly<Record<Format, () => OutputFormat>> = {
  table: createReadableTable,
  json: createJsonLines,
  csv: createJsonLines,
  raven: createJsonLines,
  audacity: createJsonLines,
};

export function createOutputFormat(format: Format): OutputFormat {
  return formats[format]();
}
