import { parse } from 'csv-parse/browser/esm/sync';
import { placeAt, type WrittenPlace } from './metadata/written-values.ts';
import { zoneOf } from './recording-time.ts';

/** A place where a recorder stood, as the user's list of sites names it. */
export interface Site {
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

/** Why a list of sites cannot be used; the message is for the user. */
export class SitesError extends Error {
  override readonly name = 'SitesError';
}

const columns = {
  site: ['site', 'station', 'location', 'locationid'],
  folder: ['folder', 'path', 'directory'],
  recorder: ['recorder', 'serial', 'device', 'prefix'],
  latitude: ['latitude', 'lat'],
  longitude: ['longitude', 'lon', 'long', 'lng'],
  timeZone: ['timezone', 'tz'],
  clock: ['clock'],
} as const;
type Column = keyof typeof columns;

/**
 * Reads a list of sites: CSV with a header, separated by commas, semicolons or tabs, with `site`, `folder` or `recorder`, and any of
 * `latitude`, `longitude`, `time zone`, `clock`. Case, spaces and underscores in the header do not matter.
 *
 * @throws SitesError that names the line
 */
export function readSites(text: string): readonly Site[] {
  const [header = '', ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const delimiter = [',', ';', '\t'].reduce((best, each) => (count(header, each) > count(header, best) ? each : best));
  const rows = parseRows([header, ...lines].join('\n'), delimiter);
  const names = (rows[0]?.cells ?? []).map((cell) => cell.toLowerCase().replace(/[\s_-]/g, ''));
  const at = (column: Column) => names.findIndex((name) => (columns[column] as readonly string[]).includes(name));
  if (at('site') < 0 || (at('folder') < 0 && at('recorder') < 0))
    throw new SitesError('The list of sites needs a header with site, and folder or recorder.');
  return rows.slice(1).map(({ cells, line }) => {
    const cell = (column: Column): string => (at(column) < 0 ? '' : (cells[at(column)] ?? '').trim());
    const [site, folder, recorder] = [cell('site'), cell('folder').replace(/^\.?[\\/]+|[\\/]+$/g, ''), cell('recorder')];
    if (site === '') throw new SitesError(`Line ${line} of the list of sites names no site.`);
    if (folder === '' && recorder === '')
      throw new SitesError(`Line ${line} of the list of sites has neither folder nor recorder.`);
    return { site, folder, recorder, place: placeOf(cell('latitude'), cell('longitude'), line), ...clocksOf(cell, line) };
  });
}

/**
 * The site of a recording: the one whose folder contains it (the longest first), else the one of its recorder. A row with both must match
 * both.
 *
 * @param path full path of the recording
 */
export function findSite(sites: readonly Site[], path: string, recorders: readonly string[]): Site | null {
  const folders = `/${path.split(/[\\/]/).slice(0, -1).filter(Boolean).join('/')}/`;
  const known = new Set(recorders.map((recorder) => recorder.toLowerCase()));
  const fits = ({ folder, recorder }: Site) =>
    (folder === '' || folders.includes(`/${folder.split(/[\\/]/).join('/')}/`)) &&
    (recorder === '' || known.has(recorder.toLowerCase()));
  const exactness = ({ folder, recorder }: Site) => folder.length * 2 + (recorder === '' ? 0 : 1);
  return sites.filter(fits).reduce<Site | null>((best, site) => (best && exactness(best) >= exactness(site) ? best : site), null);
}

const count = (text: string, sign: string): number => text.split(sign).length - 1;

function parseRows(text: string, delimiter: string): { cells: string[]; line: number }[] {
  try {
    const parsed = parse(text, { delimiter, info: true, relax_column_count: true, skip_empty_lines: true, trim: true });
    return (parsed as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines,
    }));
  } catch (error) {
    throw new SitesError(`The list of sites can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Accepts decimal commas, which occur where another character separates the columns. */
const degrees = (text: string): number => (/^[+-]?\d{1,3}([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN);

function placeOf(latitude: string, longitude: string, line: number): WrittenPlace | null {
  if (latitude === '' && longitude === '') return null;
  const place = placeAt(degrees(latitude), degrees(longitude));
  if (place === null)
    throw new SitesError(
      `Line ${line} of the list of sites: ${latitude || 'nothing'}, ${longitude || 'nothing'} is no place in decimal degrees, such as 50.8357 and 12.9292.`,
    );
  return place;
}

function clocksOf(cell: (column: Column) => string, line: number): Pick<Site, 'timeZone' | 'clock'> {
  const [timeZone, clock] = (['timeZone', 'clock'] as const).map((column) => {
    const text = cell(column);
    const zone = text === '' ? null : zoneOf(text);
    if (text !== '' && zone === null)
      throw new SitesError(`Line ${line} of the list of sites: "${text}" is no time zone such as Europe/Berlin, UTC or UTC+2.`);
    return zone;
  });
  return { timeZone: timeZone ?? null, clock: clock ?? null };
}
