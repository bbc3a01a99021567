import { placeAt, type WrittenPlace } from './metadata/written-values.ts';
import { type Cells, readTable, type TableOpener } from './read/read-table.ts';
import { type Note, TableError } from './read/table-error.ts';
import { zoneOf } from './recording-time.ts';

/** A place where a recorder stood, as the user's list of sites names it. */
export interface Site {
  /** of the list */
  readonly line: number;
  readonly site: string;
  /** path of a folder that holds its recordings, or the end of such a path; empty: any */
  readonly folder: string;
  /** serial number, or what its file names begin with; empty: any */
  readonly recorder: string;
  readonly place: WrittenPlace | null;
  /** as Temporal names it */
  readonly timeZone: string | null;
  /** what the recorder's clock was set to; null: the time zone */
  readonly clock: string | null;
}

const namesOf = {
  site: ['site', 'station', 'location', 'locationid'],
  folder: ['folder', 'path', 'directory'],
  recorder: ['recorder', 'serial', 'device', 'prefix'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'long', 'lng'],
  timeZone: ['time zone', 'tz'],
  clock: ['clock'],
} as const;
type Column = keyof typeof namesOf;

/**
 * Reads a list of sites: a table with `site`, `folder` or `recorder`, and any of `latitude`, `longitude`, `time zone`, `clock`.
 *
 * @param note is told which columns are not read, because another name may be meant for one of these
 * @throws TableError that names line and column, or when there is no site
 */
export function readSites(content: string | Uint8Array, shownAs: string, note: Note = () => {}): readonly Site[] {
  const sites: Site[] = [];
  const open: TableOpener = (columns) => {
    const nameOf = (column: Column): string => namesOf[column].find(columns.has) ?? namesOf[column][0];
    const isThere = (column: Column): boolean => columns.has(nameOf(column));
    if (!isThere('site') || !(isThere('folder') || isThere('recorder')))
      throw new TableError(`${shownAs} needs a header with site, and folder or recorder.`);
    const read = (Object.keys(namesOf) as Column[]).map((column) => columns.at(nameOf(column)));
    const unread = columns.names.filter((name, index) => name !== '' && !read.includes(index));
    if (unread.length > 0) note(`${shownAs}: Columns that are not read: ${unread.join(', ')}.`);
    return (cells) => sites.push(readSite(cells, nameOf));
  };
  readTable(content, open, { shownAs, note, trims: true });
  if (sites.length === 0) throw new TableError(`${shownAs} has no site.`);
  return sites;
}

function readSite(cells: Cells, nameOf: (column: Column) => string): Site {
  const folder = cells
    .text(nameOf('folder'))
    .replaceAll('\\', '/')
    .replace(/^\.?\/+|\/+$/g, '');
  const recorder = cells.text(nameOf('recorder'));
  if (folder === '' && recorder === '') cells.fail(nameOf('folder'), 'must not be empty, unless there is a recorder');
  const degrees = (column: Column, most: number) => cells.numberOrNull(nameOf(column), -most, most);
  const [latitude, longitude] = [degrees('latitude', 90), degrees('longitude', 180)];
  const place = latitude === null || longitude === null ? null : placeAt(latitude, longitude);
  if (place === null && (latitude !== null || longitude !== null))
    cells.fail(
      nameOf(latitude === null ? 'latitude' : 'longitude'),
      'belongs to a place in decimal degrees, such as 50.8357 and 12.9292',
    );
  const zone = (column: Column): string | null => {
    const text = cells.text(nameOf(column));
    return text === '' ? null : (zoneOf(text) ?? cells.fail(nameOf(column), 'looks like Europe/Berlin, UTC or UTC+2'));
  };
  const site = cells.filled(nameOf('site'));
  return { line: cells.line, site, folder, recorder, place, timeZone: zone('timeZone'), clock: zone('clock') };
}

/**
 * The site of a recording: the one whose folder contains it (the longest first), else the one of its recorder. A row with both must match
 * both.
 *
 * @param path full path of the recording
 */
export function findSite(sites: readonly Site[], path: string, recorders: readonly string[]): Site | null {
  // macOS writes the names of folders and files in another form of Unicode (NFD) than people type them.
  const folders = `/${path.normalize('NFC').split(/[\\/]/).slice(0, -1).filter(Boolean).join('/')}/`;
  const known = new Set(recorders.map((recorder) => recorder.normalize('NFC').toLowerCase()));
  const fits = ({ folder, recorder }: Site) =>
    (folder === '' || folders.includes(`/${folder}/`)) && (recorder === '' || known.has(recorder.toLowerCase()));
  const exactness = ({ folder, recorder }: Site) => folder.length * 2 + (recorder === '' ? 0 : 1);
  return sites.filter(fits).reduce<Site | null>((best, site) => (best && exactness(best) >= exactness(site) ? best : site), null);
}
