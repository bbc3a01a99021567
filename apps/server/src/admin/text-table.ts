type Cell = string | number | null;

/**
 * Formats rows as a table for a terminal: numbers aligned right, null as a dash. Removes control characters.
 *
 * @param columns names of the columns, in the order of the cells
 */
export function textTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const shown = rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell).replaceAll(/\p{C}/gu, ''))));
  const isNumber = columns.map((_, index) => rows.length > 0 && rows.every((row) => typeof row[index] === 'number'));
  const widths = columns.map((name, index) => Math.max(name.length, ...shown.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (isNumber[index] ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(columns), ...shown.map(line)].join('\n');
}

/** Lines of `name  value`. */
export const textList = (entries: readonly (readonly [string, string | number])[]): string => {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
};

/** Indented JSON, for operators and their programs. */
export const asJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** A time in UTC, to the minute. */
export const minuteOf = (time: string | null): string | null => time && `${time.slice(0, 10)} ${time.slice(11, 16)}`;
