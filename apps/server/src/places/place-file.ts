import { foldName } from './fold-name.ts';

/**
 * The file that places are looked up in, without having them in memory: names in folded form, sorted, each with the number of
 * its place; places numbered from the most populous on.
 *
 * | Section | Holds |
 * |---|---|
 * | head | eight little-endian Uint32: magic, keys, places, bytes of the directory, of the keys, of the records, 0, 0 |
 * | directory | every 256th key, a line each |
 * | key offsets | Uint32 for each key and one more, into the keys |
 * | key places | Uint32 for each key: number of its place, and whether the key is one of its further names |
 * | record offsets | Uint32 for each place and one more, into the records |
 * | keys | UTF-8, one after the other |
 * | records | UTF-8: name, country code, region, latitude, longitude, population, with tabs between |
 */

/** Changes with the layout, so that a file of another version is not read. */
export const MAGIC = 0x32_4c_50_43;
export const HEAD_BYTES = 32;
export const KEYS_PER_BLOCK = 256;

/** Abandoned, destroyed and historical places: nobody records a bird there under that name. */
const gone = new Set(['PPLQ', 'PPLW', 'PPLH', 'PPLCH']);

/** In a key's place number: this key is one of the place's further names, in another language or from another time. */
export const FURTHER_NAME = 0x80_00_00_00;

interface SourcePlace {
  readonly name: string;
  readonly asciiName: string;
  readonly furtherNames: string;
  readonly record: string;
  readonly population: number;
}

/** Reads one line of a GeoNames table (geonames.org/export, "main 'geoname' table"); null for what is no place of today. */
function readLine(line: string, regions: ReadonlyMap<string, string>): SourcePlace | null {
  const [, name, asciiName = '', furtherNames = '', latitude, longitude, , kind = '', country = '', , admin = '', , , , count] =
    line.split('\t');
  if (name === undefined || latitude === undefined || longitude === undefined || gone.has(kind)) return null;
  const population = Number(count ?? 0);
  const region = regions.get(`${country}.${admin}`) ?? '';
  const record = [name, country, region, Number(latitude), Number(longitude), population].join('\t');
  return { name, asciiName, furtherNames, record, population };
}

/**
 * @param lines of a GeoNames table
 * @param regions names of first-order divisions by `country.code`
 */
export async function buildPlaceFile(
  lines: AsyncIterable<string> | Iterable<string>,
  regions: ReadonlyMap<string, string>,
): Promise<Buffer> {
  const places: SourcePlace[] = [];
  for await (const line of lines) {
    const place = readLine(line, regions);
    if (place) places.push(place);
  }
  places.sort((a, b) => b.population - a.population);

  // Two plain arrays instead of one of pairs: there are most of a million keys.
  const keys: string[] = [];
  const placeOfKey: number[] = [];
  for (const [number, { name, asciiName, furtherNames }] of places.entries()) {
    const own = new Set([foldName(name), foldName(asciiName)]);
    for (const key of new Set([...own, ...furtherNames.split(',').map(foldName)])) {
      if (key === '') continue;
      keys.push(key);
      placeOfKey.push(own.has(key) ? number : number + FURTHER_NAME);
    }
  }
  const order = Uint32Array.from(keys.keys()).sort((a, b) => compare(keys[a] ?? '', keys[b] ?? '') || a - b);
  const sortedKeys = Array.from(order, (n) => keys[n] ?? '');

  const directory = Buffer.from(sortedKeys.filter((_, n) => n % KEYS_PER_BLOCK === 0).join('\n'));
  const keyText = textSection(sortedKeys);
  const recordText = textSection(places.map(({ record }) => record));
  const head = [MAGIC, keys.length, places.length, directory.length, keyText.bytes.length, recordText.bytes.length, 0, 0];
  return Buffer.concat([
    numbers(head),
    directory,
    numbers(keyText.offsets),
    numbers(Array.from(order, (n) => placeOfKey[n] ?? 0)),
    numbers(recordText.offsets),
    keyText.bytes,
    recordText.bytes,
  ]);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function textSection(texts: readonly string[]): { bytes: Buffer; offsets: number[] } {
  let end = 0;
  const offsets = [0];
  for (const text of texts) {
    end += Buffer.byteLength(text);
    offsets.push(end);
  }
  return { bytes: Buffer.from(texts.join('')), offsets };
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [n, value] of values.entries()) bytes.writeUInt32LE(value, n * 4);
  return bytes;
}
