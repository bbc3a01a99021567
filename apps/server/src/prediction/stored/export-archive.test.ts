import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tableFormats } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { samplePredictionFor } from '../../testing/fake-analyzer.ts';
import { type Archived, writeExportArchive } from './export-archive.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const detections = Array.from({ length: 1500 }, (_, index) => ({
  ...{ scientificName: 'Parus major', commonName: 'Great Tit', score: 0.5, confidence: 0.5 },
  ...{ startSeconds: index, endSeconds: index + 3 },
}));
const archived = (index: number): Archived => ({
  prediction: {
    ...samplePredictionFor({ path: '', fileName: `${index}.wav` }),
    createdAt: '2026-05-01T05:12:44.120Z',
  },
  json: async () => Buffer.from(JSON.stringify({ index, detections }, null, 2)),
  tableOf: async (name) => Readable.from([`${tableFormats[name].head({})}all of ${index}`, ` as ${name}\n`]),
  overview: async () => null,
  sound: async () => null,
});

it('The archive of predictions is written with one prediction in memory, however many there are', async () => {
  const used: number[] = [];
  async function* many() {
    for (let index = 0; index < 40; index += 1) {
      if (index === 5 || index === 39) {
        collectGarbage();
        // biome-ignore lint/plugin: measures; to become a row of a benchmark
        used.push(process.memoryUsage().heapUsed);
      }
      yield archived(index);
    }
  }
  let bytes = 0;
  for await (const chunk of writeExportArchive(many, {}, () => {})) bytes += chunk.length;
  const [, , early = 0, late = 0] = used;
  expect(bytes).toBeGreaterThan(100_000);
  // The text of each is some 400 kB.
  expect(late - early).toBeLessThan(3_000_000);
});

it('The archive of predictions ends early where a prediction cannot be read, and reports the error', async () => {
  const onError = vi.fn();
  async function* broken() {
    yield archived(0);
    throw new Error('unreadable');
  }
  const archive = writeExportArchive(broken, {}, onError);
  const readAll = async () => {
    for await (const _ of archive);
  };
  await expect(readAll()).rejects.toThrow('unreadable');
  expect(onError).toHaveBeenCalledOnce();
});

it('The archive of predictions reads no more predictions when its client has disconnected', async () => {
  let read = 0;
  const onError = vi.fn();
  async function* endless() {
    for (;;) {
      read += 1;
      yield archived(read);
    }
  }
  for await (const _ of writeExportArchive(endless, {}, onError)) break;
  const before = read;
  // biome-ignore lint/plugin: sleeps; to become a gate
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read - before).toBeLessThan(2);
  expect(onError).not.toHaveBeenCalled();
});

it('The archive of predictions closes a table that it receives after its client has disconnected', async () => {
  const given: Readable[] = [];
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  async function* some() {
    yield {
      ...archived(0),
      async tableOf() {
        asked.resolve();
        await gate.promise;
        const table = Readable.from(['a table']);
        given.push(table);
        return table;
      },
    };
  }
  const archive = Readable.from(writeExportArchive(some, {}, () => {}));
  archive.read(0);
  await asked.promise;
  archive.destroy();
  gate.resolve();
  await eventually(() => expect(given.map(({ destroyed }) => destroyed)).toEqual([true]));
});

it('The archive of predictions contains one table of all predictions, and the files of each', async () => {
  async function* some() {
    yield archived(0);
    yield archived(1);
  }
  const pieces: Buffer[] = [];
  for await (const piece of writeExportArchive(some, {}, () => {})) pieces.push(Buffer.from(piece));
  const zip = await fromBufferPromise(Buffer.concat(pieces));
  const files: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    files[entry.fileName.replace(/^.* /, '')] = Buffer.concat(
      await (await zip.openReadStreamPromise(entry)).toArray(),
    ).toString();
  }
  const rows = files['detections.csv']?.trim().split('\n') ?? [];
  expect(rows).toHaveLength(1 + 2);
  expect(rows.filter((row) => row.startsWith('Start'))).toHaveLength(1);
  expect(rows.at(-1)).toBe('all of 1 as csv');
  expect(files['1/detections.csv']).toBe(`${rows[0]}\nall of 1 as csv\n`);
  expect(files['1/selections.txt']).toMatch(/^Selection\t.*\nall of 1 as raven\n$/);
  expect(files['1/labels.txt']).toBe('all of 1 as audacity\n');
  expect(JSON.parse(files['1/prediction.json'] ?? '')).toMatchObject({ index: 1 });
});
