import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type RangePeriod, rangeGrid } from '@chiffchaff/contract';
import { occurrenceToByte, weekOf } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { tryAgainLater } from '../try-again.ts';
import { type LandCell, readLandCells } from './land-grid.ts';
import type { LongOccurrenceJobs, OccurrencePool } from './long-occurrence-jobs.ts';
import { openRangeFile, type RangeFile, writeRangeFile } from './range-file.ts';

/** The version in the name changes with the grid and with the file format. */
const FILE_NAME = (week: number | null): string => `ranges-1-${week === null ? 'year' : `week-${week}`}.bin`;
const ANY_WEEK = /^ranges-\d+-week-\d+\.bin$/;

/** Lower values become 0: too little to show on a map. */
const LEAST_BYTE = occurrenceToByte(0.01);
/** Places in one question; more is not faster. */
const PLACES_AT_ONCE = 64;
/** Writing all labels without a pause would delay answers by half a second. */
const LABELS_AT_ONCE = 100;

export interface RangesOptions {
  readonly model: ModelFolder;
  readonly longJobs: LongOccurrenceJobs;
  readonly now?: () => Date;
}

/**
 * Where each label occurs on land, over the year and in the current week. The first request for a period makes the ranges of all labels,
 * which are kept in the model's folder; making those of a new week removes those of other weeks.
 */
export function openRanges({ model, longJobs, now = () => new Date() }: RangesOptions) {
  const { manifest, species, path } = model;
  const { occurrence } = manifest;
  const inputs = `${occurrence?.sha256} ${manifest.labels.sha256}`;
  const files = new Map<number | null, Promise<RangeFile | null>>();
  const closing = new AbortController();
  let cells: readonly LandCell[] | null = null;

  async function openOrMake(week: number | null): Promise<RangeFile> {
    const file = join(path, FILE_NAME(week));
    const kept = await openRangeFile(file, inputs);
    if (kept !== null) return kept;
    if (week !== null) await removeOtherWeeks(week);
    await longJobs.run((ask) => make(file, week, ask));
    const made = await openRangeFile(file, inputs);
    if (made === null) throw new Error(`${file} could not be read after it was written`);
    return made;
  }

  async function make(file: string, week: number | null, ask: OccurrencePool['occurrences']): Promise<void> {
    cells ??= readLandCells();
    const land = cells;
    const labelCount = species.labels.length;
    const values = new Uint8Array(labelCount * land.length);
    for (let first = 0; first < land.length; first += PLACES_AT_ONCE) {
      const places = land.slice(first, first + PLACES_AT_ONCE);
      const found = await ask(places.map(({ latitude, longitude }) => ({ latitude, longitude, week })));
      for (let place = 0; place < places.length; place++) {
        for (let label = 0; label < labelCount; label++) {
          const byte = occurrenceToByte(found[place * labelCount + label] ?? 0);
          if (byte >= LEAST_BYTE) values[label * land.length + first + place] = byte;
        }
      }
    }
    await writeRangeFile(file, inputs, rowsOf(values, land, labelCount));
  }

  /** Removes the files of other weeks; closing one waits for reads in progress. */
  async function removeOtherWeeks(week: number): Promise<void> {
    for (const [other, file] of files) {
      if (other === null || other === week) continue;
      files.delete(other);
      await (await file)?.close();
    }
    for (const name of await readdir(path)) {
      if (ANY_WEEK.test(name) && name !== FILE_NAME(week)) await rm(join(path, name), { force: true });
    }
  }

  function get(week: number | null): Promise<RangeFile | null> {
    const known = files.get(week);
    if (known) return known;
    const file = openOrMake(week).catch(tryAgainLater('The ranges could not be made', closing.signal, () => files.delete(week)));
    files.set(week, file);
    return file;
  }

  return {
    /** @returns null when there is no occurrence model, or the ranges could not be made */
    async read(label: number, period: RangePeriod): Promise<{ readonly week: number | null; readonly cells: Uint8Array } | null> {
      if (occurrence === null) return null;
      const today = now();
      const week = period === 'year' ? null : weekOf(today.getUTCMonth() + 1, today.getUTCDate());
      const file = await get(week);
      return file && { week, cells: await file.read(label) };
    },
    /** Call it after the long jobs are closed. */
    async close(): Promise<void> {
      closing.abort();
      for (const file of files.values()) await (await file)?.close();
    },
  };
}

async function* rowsOf(values: Uint8Array, land: readonly LandCell[], labelCount: number): AsyncGenerator<Uint8Array> {
  const row = new Uint8Array(rangeGrid.columns * rangeGrid.rows);
  for (let label = 0; label < labelCount; label++) {
    for (const [at, { index }] of land.entries()) row[index] = values[label * land.length + at] ?? 0;
    yield row;
    if (label % LABELS_AT_ONCE === 0) await setImmediate();
  }
}
