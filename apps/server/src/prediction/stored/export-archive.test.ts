import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tableFormats } from '@chiffchaff/analysis';
import { eventually } from '@chiffchaff/testing';
import { expect, it, vi } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { HttpProblem } from '../../http/http-problem.ts';
import { samplePredictionFor } from '../../testing/fake-analyzer.ts';
import { type ArchiveSources, writeExportArchive } from './export-archive.ts';
import type { StoredRow } from './prediction-store.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const detections = Array.from({ length: 1500 }, (_, index) => ({
  ...{ scientificName: 'Parus major', commonName: 'Great Tit', score: 0.5, confidence: 0.5 },
  ...{ startSeconds: index, endSeconds: index + 3 },
}));
const rowOf = (index: number): StoredRow => ({ id: String(index), accountId: 'walker', answerBytes: 1 });
const head = (id: string) => ({
  ...samplePredictionFor({ path: '', fileName: `${id}.wav` }),
  createdAt: '2026-05-01T05:12:44.120Z',
});
const answers: ArchiveSources['answers'] = {
  headOf: async ({ id }) => ({ prediction: head(id), mentioned: [], excerpts: [] }),
  fileOf: async ({ id }) => Buffer.from(JSON.stringify({ index: Number(id), detections }, null, 2)),
  tableOf: async ({ id }, name) => Readable.from([`${tableFormats[name].head({})}all of ${id}`, ` as ${name}\n`]),
};
const noSound = () => Promise.reject(new HttpProblem('NOT_FOUND', {}));

/** An archive of these answers, which have no overview and no audio. */
function write(answersOf: () => AsyncIterable<StoredRow>, changed: Partial<typeof answers> = {}, onError = (_: unknown) => {}) {
  const store = { answersOf, overviewOf: async () => null };
  const sources = { store, answers: { ...answers, ...changed }, sounds: { play: noSound } };
  return writeExportArchive(sources, 'walker', {}, new AbortController().signal, onError);
}

it('The archive of predictions is written with one prediction in memory, however many there are', async () => {
  const used: number[] = [];
  async function* many() {
    for (let index = 0; index < 40; index += 1) {
      if (index === 5 || index === 39) {
        collectGarbage();
        // biome-ignore lint/plugin: measures; to become a row of a benchmark
        used.push(process.memoryUsage().heapUsed);
      }
      yield rowOf(index);
    }
  }
  let bytes = 0;
  for await (const chunk of write(many)) bytes += chunk.length;
  const [, , early = 0, late = 0] = used;
  expect(bytes).toBeGreaterThan(100_000);
  // The text of each is some 400 kB.
  expect(late - early).toBeLessThan(3_000_000);
});

it('The archive of predictions ends early where a prediction cannot be read, and reports the error', async () => {
  const onError = vi.fn();
  async function* broken() {
    yield rowOf(0);
    throw new Error('unreadable');
  }
  const archive = write(broken, {}, onError);
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
      yield rowOf(read);
    }
  }
  for await (const _ of write(endless, {}, onError)) break;
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
    yield rowOf(0);
  }
  async function tableOf() {
    asked.resolve();
    await gate.promise;
    const table = Readable.from(['a table']);
    given.push(table);
    return table;
  }
  const archive = Readable.from(write(some, { tableOf }));
  archive.read(0);
  await asked.promise;
  archive.destroy();
  gate.resolve();
  await eventually(() => expect(given.map(({ destroyed }) => destroyed)).toEqual([true]));
});

it('The archive of predictions contains one table of all predictions, and the files of each', async () => {
  async function* some() {
    yield rowOf(0);
    yield rowOf(1);
  }
  const pieces: Buffer[] = [];
  for await (const piece of write(some)) pieces.push(Buffer.from(piece));
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
