import { parse } from 'csv-parse/browser/esm/sync';
import { placeAt, type WrittenPlace } from '../metadata/written-values.ts';
import { isOnlyReviewed } from '../read/listed-detection.ts';
import { TableError } from '../read/read-rows.ts';

/** When something happened, as stated in a table; null where it states nothing. */
export interface TableMoment {
  /** ISO date at the place */
  readonly date: string | null;
  /** `05:12:44` at the place */
  readonly time: string | null;
  /** milliseconds since 1970 */
  readonly epochMs: number | null;
  /** how far the place's clock was ahead of UTC */
  readonly offsetMinutes: number | null;
}

interface Located {
  /** as in the table */
  readonly file: string;
  /** empty when unknown */
  readonly site: string;
  readonly place: WrittenPlace | null;
  readonly moment: TableMoment;
}

/** A row of a CSV table that `identify` wrote. */
export interface TableDetection extends Located {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly scientificName: string;
  readonly commonName: string;
  /** 0–1; null when unknown */
  readonly score: number | null;
  readonly confidence: number | null;
  readonly model: string;
  readonly recorder: string;
  /** whether it is hidden by location */
  readonly hidden: boolean;
}

/** A row of the `NAME.files.csv` beside the table. */
export interface TableRecording extends Located {
  readonly analysed: boolean;
  /** length; null when unknown */
  readonly seconds: number | null;
}

type Cells = Readonly<Record<string, string>>;

/**
 * Reads a CSV table of `identify`.
 *
 * @param shownAs its name in messages
 * @throws TableError that says what was found
 */
export function readDetections(text: string, shownAs: string): readonly TableDetection[] {
  const wanted = ['Start (s)', 'End (s)', 'Scientific name', 'Score', 'Confidence', 'File', 'Model'];
  return readWhole(text, { shownAs, wanted, such: 'A table that identify --format csv writes' }, (cells, line) => {
    if (isOnlyReviewed(cells['Score'], cells['Review'])) return null;
    const [startSeconds, endSeconds] = [numberIn(cells['Start (s)']), numberIn(cells['End (s)'])];
    const scientificName = cells['Scientific name'] ?? '';
    if (startSeconds === null || endSeconds === null || endSeconds < startSeconds || scientificName === '')
      throw new TableError(
        `Line ${line} of ${shownAs} is no detection: it runs from "${cells['Start (s)']}" to "${cells['End (s)']}" s with the name "${scientificName}".`,
      );
    return {
      ...located(cells),
      startSeconds,
      endSeconds,
      scientificName,
      commonName: cells['Common name'] ?? '',
      score: shareIn(cells['Score']),
      confidence: shareIn(cells['Confidence']),
      model: cells['Model'] ?? '',
      recorder: cells['Recorder'] ?? '',
      hidden: cells['Hidden'] === 'true',
    };
  });
}

/** Reads the effort table beside it. @throws TableError that says what was found */
export function readEffort(text: string, shownAs: string): readonly TableRecording[] {
  return readWhole(
    text,
    { shownAs, wanted: ['File', 'State', 'Seconds'], such: 'A table that identify --out writes' },
    (cells) => ({
      ...located(cells),
      analysed: cells['State'] === 'analysed',
      seconds: numberIn(cells['Seconds']),
    }),
  );
}

/**
 * Reads the rows of a CSV with a header one at a time, so that memory holds only what `rowOf` returns for each. Null leaves a row out.
 *
 * @throws TableError
 */
export function readWhole<Row>(
  text: string,
  { shownAs, wanted, such }: { readonly shownAs: string; readonly wanted: readonly string[]; readonly such: string },
  rowOf: (cells: Cells, line: number) => Row | null,
): readonly Row[] {
  try {
    return parse(text, {
      bom: true,
      skip_empty_lines: true,
      columns: (names: string[]) => {
        const missing = wanted.filter((name) => !names.includes(name));
        if (missing.length > 0)
          throw new TableError(
            `${shownAs} has no column ${missing.join(', ')}. ${such} has; this one begins ${names.slice(0, 3).join(', ')}.`,
          );
        return names;
      },
      on_record: (cells: Cells, { lines }: { readonly lines: number }) => rowOf(cells, lines),
    }) as unknown as readonly Row[];
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError(`${shownAs} can't be read as CSV: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Null for anything but a plain decimal number. */
export const numberIn = (text = ''): number | null => (/^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : null);

function shareIn(text: string | undefined): number | null {
  const value = numberIn(text);
  return value !== null && value >= 0 && value <= 1 ? value : null;
}

function located(cells: Cells): Located {
  const [latitude, longitude] = [numberIn(cells['Latitude']), numberIn(cells['Longitude'])];
  return {
    file: cells['File'] ?? '',
    site: cells['Site'] ?? '',
    place: latitude === null || longitude === null ? null : placeAt(latitude, longitude),
    moment: momentIn(cells),
  };
}

function momentIn(cells: Cells): TableMoment {
  const date = /^\d{4}-\d\d-\d\d$/.test(cells['Date'] ?? '') ? (cells['Date'] ?? null) : null;
  const time = date !== null && /^\d\d:\d\d:\d\d$/.test(cells['Time'] ?? '') ? (cells['Time'] ?? null) : null;
  const utc = Date.parse(cells['UTC'] ?? '');
  const epochMs = Number.isNaN(utc) ? null : utc;
  const local = time === null ? Number.NaN : Date.parse(`${date}T${time}Z`);
  const offsetMinutes = epochMs === null || Number.isNaN(local) ? null : Math.round((local - epochMs) / 60_000);
  return { date, time, epochMs, offsetMinutes };
}
