import { type FileHandle, open } from 'node:fs/promises';
import type { Place } from '@chiffchaff/contract';
import { foldName } from './fold-name.ts';
import { FURTHER_NAME, HEAD_BYTES, KEYS_PER_BLOCK, MAGIC } from './place-file.ts';

/** Finds places by the beginning of any of their names. */
export interface PlaceIndex {
  /** At most ten places, best first: those of exactly that name before those that begin with it, the populous before the small. `Springfield, Illinois` asks for one in that region or country. */
  search(query: string): Promise<readonly Place[]>;
  close(): Promise<void>;
}

const MAX_PLACES = 10;
/** Looked through for a region or country. */
const MAX_NARROWED = 200;
/** What a match is worth beside population: whoever types `Bath` means it rather than Bathinda, and `ber` rather Berlin than Aleppo. */
const weights = { own: { whole: 30, beginning: 3 }, further: { whole: 3, beginning: 1 } };

interface Found extends Place {
  readonly population: number;
}

/**
 * Opens a place file. It stays on disk: in memory is only its directory, less than 100 kB.
 *
 * @throws Error when it is not a place file of this version
 */
export async function openPlaceIndex(path: string): Promise<PlaceIndex> {
  const file = await open(path, 'r');
  try {
    return await readIndex(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readIndex(file: FileHandle): Promise<PlaceIndex> {
  const head = await readNumbers(file, 0, HEAD_BYTES / 4);
  const [magic, keyCount = 0, placeCount = 0, directoryBytes = 0, keyBytes = 0, recordBytes = 0] = head;
  const keyOffsetsAt = HEAD_BYTES + directoryBytes;
  const keyPlacesAt = keyOffsetsAt + (keyCount + 1) * 4;
  const recordOffsetsAt = keyPlacesAt + keyCount * 4;
  const keysAt = recordOffsetsAt + (placeCount + 1) * 4;
  const recordsAt = keysAt + keyBytes;
  const { size } = await file.stat();
  if (magic !== MAGIC || size !== recordsAt + recordBytes) throw new Error('This is not a place file of this version');
  const directory = (await readText(file, HEAD_BYTES, directoryBytes)).split('\n');

  /** Number of the first key that is not less than the text. */
  async function lowerBound(text: string): Promise<number> {
    let low = 0;
    let high = directory.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((directory[middle] ?? '') < text) low = middle + 1;
      else high = middle;
    }
    const first = Math.max(0, low - 1) * KEYS_PER_BLOCK;
    const count = Math.min(KEYS_PER_BLOCK, keyCount - first);
    const offsets = await readNumbers(file, keyOffsetsAt + first * 4, count + 1);
    const start = offsets[0] ?? 0;
    const bytes = await read(file, keysAt + start, (offsets[count] ?? 0) - start);
    for (let n = 0; n < count; n += 1) {
      if (bytes.toString('utf8', (offsets[n] ?? 0) - start, (offsets[n + 1] ?? 0) - start) >= text) return first + n;
    }
    return first + count;
  }

  /** The most populous places whose keys lie in a range, by their own names and by further ones. */
  async function placesBetween(from: number, to: number, most: number): Promise<{ own: Set<number>; further: Set<number> }> {
    const own = new Set<number>();
    const further = new Set<number>();
    // In order, own names come first, and the most populous place comes first among them.
    for (const number of (await readNumbers(file, keyPlacesAt + from * 4, to - from)).sort()) {
      if (number < FURTHER_NAME && own.size < most) own.add(number);
      if (number >= FURTHER_NAME) further.add(number - FURTHER_NAME);
      if (further.size === most) break;
    }
    return { own, further };
  }

  async function readPlace(number: number): Promise<Found> {
    const [from = 0, to = 0] = await readNumbers(file, recordOffsetsAt + number * 4, 2);
    const [name = '', countryCode = '', region = '', latitude, longitude, population] = (
      await readText(file, recordsAt + from, to - from)
    ).split('\t');
    return {
      name,
      region: region === '' ? null : region,
      countryCode,
      latitude: Number(latitude),
      longitude: Number(longitude),
      population: Number(population),
    };
  }

  return {
    async search(query) {
      const [name = '', ...rest] = query.split(',');
      const prefix = foldName(name);
      const where = foldName(rest.join(' '));
      if (prefix === '') return [];
      const most = where === '' ? MAX_PLACES : MAX_NARROWED;
      const [from, wholeTo, to] = await Promise.all([
        lowerBound(prefix),
        lowerBound(`${prefix}\u0000`),
        lowerBound(`${prefix}\uffff`),
      ]);
      const [whole, any] = await Promise.all([placesBetween(from, wholeTo, most), placesBetween(from, to, most)]);
      const weightOf = (number: number): number => {
        if (whole.own.has(number)) return weights.own.whole;
        if (any.own.has(number)) return weights.own.beginning;
        return whole.further.has(number) ? weights.further.whole : weights.further.beginning;
      };
      const numbers = new Set([...whole.own, ...whole.further, ...any.own, ...any.further]);
      const found = await Promise.all(
        [...numbers].map(async (number) => {
          const place = await readPlace(number);
          return { place, weight: (place.population + 1) * weightOf(number) };
        }),
      );
      return found
        .filter(({ place }) => where === '' || isIn(place, where))
        .sort((a, b) => b.weight - a.weight)
        .slice(0, MAX_PLACES)
        .map(({ place: { population: _, ...place } }) => place);
    },
    close: () => file.close(),
  };
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

function isIn({ region, countryCode }: Place, where: string): boolean {
  const names = [region, countryCode, countryCode === '' ? null : countryNames.of(countryCode)];
  return names.some((name) => typeof name === 'string' && foldName(name).startsWith(where));
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('The place file ends too early');
  return buffer;
}

const readText = async (file: FileHandle, position: number, length: number): Promise<string> =>
  (await read(file, position, length)).toString('utf8');

async function readNumbers(file: FileHandle, position: number, count: number): Promise<Uint32Array> {
  const bytes = await read(file, position, count * 4);
  return Uint32Array.from({ length: count }, (_, n) => bytes.readUInt32LE(n * 4));
}
