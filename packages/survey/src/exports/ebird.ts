import { csvLine, type Value } from '../tables/csv.ts';
import { lackingForEbird } from './needs.ts';
import { ExportError, type Observation, type SurveyRecords } from './survey-records.ts';
import { splitRemark } from './taxonomy.ts';
import { spanOfRecording } from './times.ts';

/** The columns of eBird's record format, in its order: https://support.ebird.org/en/support/solutions/articles/48000907878. */
export const ebirdColumns = [
  ...(['Common Name', 'Genus', 'Species', 'Number', 'Species Comments', 'Location Name', 'Latitude', 'Longitude'] as const),
  ...(['Date', 'Start Time', 'State/Province', 'Country Code', 'Protocol', 'Number of Observers', 'Duration'] as const),
  ...(['All observations reported?', 'Effort Distance Miles', 'Effort area acres', 'Submission Comments'] as const),
] as const;

/** The protocols that need no distance or area, which a stationary recorder does not have. */
export const ebirdProtocols = ['Incidental', 'Stationary', 'Historical'] as const;

export interface EbirdOptions {
  readonly protocol: (typeof ebirdProtocols)[number];
  /** null: not stated */
  readonly observers: number | null;
  /** Whether each list has every bird that was present: only a person can say so. */
  readonly complete: boolean;
  /** Two letters of ISO 3166; empty: eBird asks. */
  readonly country: string;
  /** The part after the hyphen of ISO 3166-2, such as NY; empty: eBird asks. */
  readonly state: string;
  /** How birds are named: eBird takes either. */
  readonly names: 'scientific' | 'common';
}

/** Most that eBird accepts in one upload. */
export const EBIRD_MAX_BYTES = 1_000_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MOST_MINUTES = 1440;

type Cells = Record<(typeof ebirdColumns)[number], Value>;

/**
 * Confirmed birds in eBird's record format: CSV without a header. A list covers a day at a site or, with the protocol Stationary, the part
 * of a recording within one day. It has each bird once, with `X` for "present", because recordings do not tell how many there were.
 *
 * @returns files of at most a megabyte, each with whole lists
 * @throws ExportError when nothing is confirmed, or the protocol requires something that is missing
 */
export function ebirdRecords(records: SurveyRecords, options: EbirdOptions): readonly string[] {
  const confirmed = records.observations.filter(({ confirmed: by }) => by !== null);
  if (confirmed.length === 0)
    throw new ExportError(
      'No bird is confirmed, and eBird takes only what a person did confirm. Label detections as docs/exports.md describes and give the file with --labels.',
    );
  const isEffort = options.protocol === 'Stationary';
  if (isEffort && options.observers === null)
    throw new ExportError('eBird wants the number of observers for the protocol Stationary: give --observers.');
  if (options.complete && !isEffort)
    throw new ExportError(`A list of the protocol ${options.protocol} is never complete: give --protocol Stationary.`);
  const lists = new Map<string, Observation[]>();
  for (const observation of confirmed) {
    if (lackingForEbird(observation).length > 0)
      throw new ExportError(`${observation.recording.file} has no day, or neither site nor place; eBird asks for both.`);
    const { recording, moment } = observation;
    const key = JSON.stringify([recording.site, recording.place, moment.date, isEffort ? recording.file : '']);
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    list.push(observation);
  }
  const files: { rows: string[]; size: number }[] = [];
  for (const list of lists.values()) {
    const rows = listRows(list, options);
    const size = new TextEncoder().encode(rows).length;
    const last = files.at(-1);
    if (last === undefined || last.size + size > EBIRD_MAX_BYTES) files.push({ rows: [rows], size });
    else {
      last.rows.push(rows);
      last.size += size;
    }
  }
  return files.map(({ rows }) => rows.join(''));
}

function listRows(list: readonly Observation[], options: EbirdOptions): string {
  const [first] = list;
  if (first === undefined) return '';
  const { site, place } = first.recording;
  const [year, month, day] = (first.moment.date ?? '').split('-');
  const { startTime, minutes } = options.protocol === 'Stationary' ? effortOf(first) : { startTime: null, minutes: null };
  const shared = {
    'Location Name': plain(site) || `${place?.latitude}, ${place?.longitude}`,
    Latitude: place?.latitude ?? null,
    Longitude: place?.longitude ?? null,
    Date: `${month}/${day}/${year}`,
    'Start Time': startTime,
    'State/Province': options.state,
    'Country Code': options.country,
    Protocol: options.protocol,
    'Number of Observers': options.observers,
    Duration: minutes,
    'All observations reported?': options.complete ? 'Y' : 'N',
    'Effort Distance Miles': null,
    'Effort area acres': null,
    'Submission Comments': 'From sound recordings. A model named the birds and a person confirmed each one listed.',
  } as const;
  const birds = Map.groupBy(list, ({ scientificName }) => scientificName);
  return [...birds.values()]
    .map((heard) => {
      const own = { ...nameOf(heard[0] ?? first, options), Number: 'X', 'Species Comments': commentOf(heard) };
      const cells: Cells = { ...own, ...shared };
      return csvLine(ebirdColumns.map((column) => cells[column]));
    })
    .join('');
}

function nameOf({ scientificName, commonName, splitInto = [] }: Observation, { names }: EbirdOptions) {
  // Its name is one of the new species today, and eBird would take it for that one. It asks about a name that it does not know.
  if (splitInto.length > 0) return { 'Common Name': `${plain(scientificName)} sensu lato`, Genus: null, Species: null };
  if (names === 'common' && commonName !== '') return { 'Common Name': plain(commonName), Genus: null, Species: null };
  const [genus = '', ...species] = plain(scientificName).split(' ');
  return { 'Common Name': null, Genus: genus, Species: species.join(' ') };
}

/** Number of times listed in a comment. */
const TIMES = 5;

function commentOf(heard: readonly Observation[]): string {
  const times = heard.flatMap(({ moment }) => (moment.time === null ? [] : [moment.time.slice(0, 5)]));
  const told = [...new Set(times)].sort();
  const more = told.length > TIMES ? ' and later' : '';
  const by = [...new Set(heard.flatMap(({ confirmed }) => confirmed?.by ?? []))].join(', ');
  const recordings = new Set(heard.map(({ recording }) => recording.file)).size;
  const split = heard[0] && splitRemark(heard[0]);
  return plain(
    `Heard in ${recordings > 1 ? 'recordings' : 'a recording'}${told.length > 0 ? ` at ${told.slice(0, TIMES).join(', ')}${more}` : ''}${by === '' ? '' : `; confirmed by ${by.replace(/\.$/, '')}`}.${split ? ` ${split}.` : ''}`,
  );
}

/** A list covers one day; of a recording over midnight, it takes the part in that day. eBird requires a start and 1 to 1440 minutes. */
function effortOf({ recording, moment }: Observation): { readonly startTime: string; readonly minutes: number } {
  const span = spanOfRecording(recording);
  if (span === null)
    throw new ExportError(
      `It is not known when ${recording.file} began or how long it is, and the protocol Stationary asks for both. Incidental does not.`,
    );
  const offsetMs = (moment.offsetMinutes ?? span.offsetMinutes) * MINUTE_MS;
  const midnight = Date.parse(`${moment.date}T00:00:00Z`);
  const from = Math.max(span.startMs + offsetMs, midnight);
  const until = Math.min(span.endMs + offsetMs, midnight + DAY_MS);
  const minutes = Math.min(Math.max(Math.round((until - from) / MINUTE_MS), 1), MOST_MINUTES);
  return { startTime: new Date(from).toISOString().slice(11, 16), minutes };
}

/** eBird accepts neither quotation marks nor line breaks. */
const plain = (text: string): string =>
  text
    .replace(/["\u201c\u201d]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();
