import { TableError } from './table-error.ts';
import { DECIMAL_SIGNS, isMissing, numberIn } from './written-cells.ts';

/** The columns whose dates tell one another whether day or month comes first. */
const DAY_COLUMNS = ['Date', 'UTC', 'Labelled (UTC)'];
/** The columns whose numbers tell one another whether point or comma is decimal, and whether a row is shifted. */
const NUMBER_COLUMNS = [
  ...['Start (s)', 'End (s)', 'Score', 'Confidence', 'Seconds', 'Start', 'End', 'Threshold'],
  ...['Latitude', 'lat', 'Longitude', 'lon', 'long', 'lng'],
];

/** Case, blanks and signs in names do not matter: R writes `Start..s.` for `Start (s)`. */
const folded = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

export type Columns = ReturnType<typeof createColumns>;

/** The columns of a table, in any order; others than those that are asked for may be there. */
export function createColumns(header: readonly string[], shownAs: string) {
  const names = header.map((name) => name.trim());
  const needed = new Set<number>();
  const places = new Map<string, number>();
  let isNumbered: boolean | null = null;

  /** -1 when there is no such column @throws TableError when there are several */
  function at(name: string): number {
    const known = places.get(name);
    if (known !== undefined) return known;
    const indices = [...names.keys()];
    const exact = indices.filter((index) => names[index] === name);
    const found = exact.length > 0 ? exact : indices.filter((index) => folded(names[index] ?? '') === folded(name));
    if (found.length > 1) throw new TableError(`${shownAs} has ${found.length} columns ${name}. Leave one.`);
    places.set(name, found[0] ?? -1);
    return found[0] ?? -1;
  }

  const those = (wanted: readonly string[], cells: readonly string[]): string[] =>
    wanted.filter((name) => at(name) >= 0).map((name) => (cells[at(name)] ?? '').trim());
  const areNumbers = (cells: readonly string[]): boolean =>
    those(NUMBER_COLUMNS, cells).every(
      (cell) => isMissing(cell) || DECIMAL_SIGNS.some((sign) => !Number.isNaN(numberIn(cell, sign))),
    );

  return {
    names,
    at,
    has: (name: string): boolean => at(name) >= 0,
    /** @param such what has these columns, to begin a sentence with @throws TableError when one is missing */
    need(wanted: readonly string[], such: string): void {
      const missing = wanted.filter((name) => at(name) < 0);
      if (missing.length > 0)
        throw new TableError(
          `${shownAs} has no column ${missing.join(', ')}. ${such} has; this one begins ${names.slice(0, 3).join(', ')}.`,
        );
      for (const name of wanted) needed.add(at(name));
    },
    /** The cells that have days. */
    days: (cells: readonly string[]): string[] => those(DAY_COLUMNS, cells),
    /** The cells that have numbers. */
    numbers: (cells: readonly string[]): string[] => those(NUMBER_COLUMNS, cells),
    /**
     * The cells of a row under their names: R numbers rows without a header for it, and spreadsheets leave out or add empty cells at the end.
     * Null when they do not fit.
     */
    align(cells: readonly string[], isEnded: boolean): readonly string[] | null {
      const isBlankAfter = cells.slice(names.length).every((cell) => cell.trim() === '');
      const isLonger = cells.length === names.length + 1 && /^\d+$/.test(cells[0] ?? '');
      // With an empty last column, a row that R numbers looks like one to which a spreadsheet added a cell.
      const isPlain = isBlankAfter && areNumbers(cells);
      const isEither = isLonger && isPlain && areNumbers(cells.slice(1));
      if (isNumbered === null && isEither && cells[0] !== '1') return null;
      isNumbered ??= isLonger && (isEither || !isPlain);
      if (isNumbered) return cells.length === names.length + 1 ? cells.slice(1) : null;
      const isShort = cells.length < names.length && (!isEnded || [...needed].some((place) => place >= cells.length));
      return isBlankAfter && !isShort ? cells : null;
    },
  };
}
