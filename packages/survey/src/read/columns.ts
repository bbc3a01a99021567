import { TableError } from './table-error.ts';
import { DECIMAL_SIGNS, isMissing, numberIn } from './written-cells.ts';

/** The columns whose dates tell one another whether day or month comes first. */
const DAY_COLUMNS = ['Date', 'UTC', 'Labelled (UTC)'];
const SECONDS = Number.POSITIVE_INFINITY;
/** The columns with their largest values whose numbers tell one another whether point or comma is decimal, and whether a row is shifted. */
const NUMBER_COLUMNS: Readonly<Record<string, number>> = {
  ...{ 'Start (s)': SECONDS, 'End (s)': SECONDS, Start: SECONDS, End: SECONDS, Seconds: SECONDS },
  ...{ Score: 1, Confidence: 1, Threshold: 1 },
  ...{ Latitude: 90, lat: 90, Longitude: 180, lon: 180, long: 180, lng: 180 },
};

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

  const cellOf = (name: string, cells: readonly string[]): string => (cells[at(name)] ?? '').trim();
  const numbers = (cells: readonly string[]) =>
    Object.entries(NUMBER_COLUMNS).map(([name, most]) => ({ text: cellOf(name, cells), most }));
  const areNumbers = (cells: readonly string[]): boolean =>
    numbers(cells).every(({ text }) => isMissing(text) || DECIMAL_SIGNS.some((sign) => !Number.isNaN(numberIn(text, sign))));

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
    days: (cells: readonly string[]): string[] => DAY_COLUMNS.map((name) => cellOf(name, cells)).filter((text) => text !== ''),
    /** The cells that have numbers, with the largest that these may be; empty where there is no such column. */
    numbers,
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
