import { quote, type TableOptions } from '@chiffchaff/contract';
import { type Column, columns, type Value } from './columns.ts';
import { rowsOf, type Surveyed } from './surveyed.ts';

/** A line of CSV according to RFC 4180, but ended with `\n`. Unknown values are empty. */
export const csvLine = (cells: readonly Value[]): string => `${cells.map((cell) => quote(String(cell ?? ''))).join(',')}\n`;

export const surveyCsvHeader = (): string => csvLine(columns.map(({ name }) => name));

/** One row per detection. */
export function surveyCsvRows(surveyed: Surveyed, options: TableOptions): string {
  let rows = '';
  for (const row of rowsOf(surveyed, options)) rows += csvLine(columns.map((column) => shown(column, column.of(row))));
  return rows;
}

const shown = ({ shown: format }: Column, value: Value): Value => (format && typeof value === 'number' ? format(value) : value);
