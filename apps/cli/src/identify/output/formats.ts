import type { TableOptions } from '@chiffchaff/contract';
import type { Format } from '../options.ts';
import { createAudacity, createCsv, createRaven } from './detection-tables.ts';
import { createJsonLines } from './json-lines.ts';
import type { OutputFormat } from './outcome.ts';
import { createReadableTable } from './readable-table.ts';

export interface OutputFormatInput {
  readonly severalRecordings: boolean;
  readonly tables: TableOptions;
}

const formats: Readonly<Record<Format, (input: OutputFormatInput) => OutputFormat>> = {
  table: createReadableTable,
  json: createJsonLines,
  csv: createCsv,
  raven: createRaven,
  audacity: createAudacity,
};

export function createOutputFormat(format: Format, input: OutputFormatInput): OutputFormat {
  return formats[format](input);
}
