import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRaw } from 'node:zlib';
import { type RangePeriod, rangeGrid } from '@chiffchaff/contract';
import { occurrenceToByte, weekOf } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import { type AskOccurrences, openMadeFile, type StartPool } from '../made-file.ts';
import { type LandCell, readLandCells } from './land-grid.ts';

/** The version in the name changes with the grid and with the file format. */
const FILE_NAME = (week: number | null): string => `ranges-1-${week === null ? 'year' : `week-${week}`}.bin`;
const ANY_WEEK = /^ranges-\d+-week-\d+\.bin$/;

/** The head of the file. Its bytes: the end offset of each label's cells as 32-bit numbers, then the cells, deflated label by label. */
const headSchema = z.object({ labelCount: z.int().nonnegative() });
const BYTES_A_NUMBER = 4;
/** Speed before size: six thousand rows are deflated while a person waits. */
const LEVEL = 1;

/** Lower values become 0: too little to show on a map. */
const LEAST_BYTE = occurrenceToByte(0.01);
/** Places in one question; more is not faster. */
const PLACES_AT_ONCE = 64;
/** Packing all labels without a pause would delay answers by half a second. */
const LABELS_AT_ONCE = 100;

const inflated = promisify(inflateRaw);

export interface RangesOptions {
  readonly model: ModelFolder;
  readonly startPool?: StartPool | undefined;
}

/**
 * Where each label occurs on land, over the year and in the current week. The first request for a period makes the ranges of all labels;
 * making those of a new week removes those of other weeks.
 */
export function openRanges({ model, startPool }: RangesOptions) {
  const { manifest, species } = model;
  const labelCount = species.labels.length;
  const files = new Map<number | null, ReturnType<typeof openFile>>();
  let cells: readonly LandCell[] | null = null;

  const openFile = (week: number | null) =>
    openMadeFile({
      model,
      name: FILE_NAME(week),
      warning: 'The ranges could not be made',
      startPool,
      async make(ask) {
        if (week !== null) await removeOtherWeeks(week);
        return { head: { labelCount }, body: await pack(await work(week, ask)) };
      },
      open(head, body) {
        const starts = headSchema.parse(head).labelCount * BYTES_A_NUMBER;
        const endOf = (label: number): number => (label < 0 ? 0 : body.readUInt32LE(label * BYTES_A_NUMBER));
        /** All cells of the grid, one byte each. */
        return (label: number): Promise<Uint8Array> => inflated(body.subarray(starts + endOf(label - 1), starts + endOf(label)));
      },
    });

  /** The bytes of every label in all land cells, label by label. */
  async function work(week: number | null, ask: AskOccurrences) {
    cells ??= readLandCells();
    const land = cells;
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
    return { values, land };
  }

  async function pack({ values, land }: Awaited<ReturnType<typeof work>>): Promise<Uint8Array[]> {
    const ends = Buffer.alloc(labelCount * BYTES_A_NUMBER);
    const rows: Uint8Array[] = [];
    const row = new Uint8Array(rangeGrid.columns * rangeGrid.rows);
    let end = 0;
    for (let label = 0; label < labelCount; label++) {
      for (const [at, { index }] of land.entries()) row[index] = values[label * land.length + at] ?? 0;
      const packed = deflateRawSync(row, { level: LEVEL });
      rows.push(packed);
      end += packed.length;
      ends.writeUInt32LE(end, label * BYTES_A_NUMBER);
      if (label % LABELS_AT_ONCE === 0) await setImmediate();
    }
    return [ends, ...rows];
  }

  async function removeOtherWeeks(week: number): Promise<void> {
    for (const [other, file] of files) {
      if (other === null || other === week) continue;
      files.delete(other);
      void file.close();
    }
    for (const name of await readdir(model.path)) {
      if (ANY_WEEK.test(name) && name !== FILE_NAME(week)) await rm(join(model.path, name), { force: true });
    }
  }

  return {
    /** @returns null when there is no occurrence model, or the ranges could not be made */
    async read(label: number, period: RangePeriod): Promise<{ readonly week: number | null; readonly cells: Uint8Array } | null> {
      if (manifest.occurrence === null) return null;
      const today = new Date();
      const week = period === 'year' ? null : weekOf(today.getUTCMonth() + 1, today.getUTCDate());
      const file = files.get(week) ?? openFile(week);
      files.set(week, file);
      const cellsOf = await file.get();
      return cellsOf && { week, cells: await cellsOf(label) };
    },
    async close(): Promise<void> {
      for (const file of files.values()) await file.close();
    },
  };
}
