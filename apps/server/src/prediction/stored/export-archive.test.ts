import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Prediction } from '@chiffchaff/contract';
import { expect, it, vi } from 'vitest';
import { predictionFor } from '../../testing/fake-listener.ts';
import { writeExportArchive } from './export-archive.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const detections = Array.from({ length: 1500 }, (_, index) => ({
  ...{ scientificName: 'Parus major', commonName: 'Great Tit', score: 0.5, confidence: 0.5 },
  ...{ startSeconds: index, endSeconds: index + 3 },
}));
const prediction = (index: number): Prediction => ({
  ...predictionFor({ path: '', fileName: `${index}.wav` }),
  createdAt: '2026-05-01T05:12:44.120Z',
  detections,
});

it('is written with one prediction in memory, however many there are', async () => {
  const used: number[] = [];
  async function* many() {
    for (let index = 0; index < 40; index += 1) {
      if (index === 5 || index === 39) {
        collectGarbage();
        used.push(process.memoryUsage().heapUsed);
      }
      yield prediction(index);
    }
  }
  let bytes = 0;
  for await (const chunk of writeExportArchive(many, {}, () => {})) bytes += chunk.length;
  const [, , early = 0, late = 0] = used;
  expect(bytes).toBeGreaterThan(100_000);
  // Text of each is some 400 kB.
  expect(late - early).toBeLessThan(3_000_000);
});

it('breaks off where a prediction cannot be read, and says so', async () => {
  const onError = vi.fn();
  async function* broken() {
    yield prediction(0);
    throw new Error('unreadable');
  }
  const archive = writeExportArchive(broken, {}, onError);
  const readAll = async () => {
    for await (const _ of archive);
  };
  await expect(readAll()).rejects.toThrow('unreadable');
  expect(onError).toHaveBeenCalledOnce();
});

it('stops reading predictions when nobody wants the archive any longer', async () => {
  let read = 0;
  const onError = vi.fn();
  async function* endless() {
    for (;;) {
      read += 1;
      yield prediction(read);
    }
  }
  for await (const _ of writeExportArchive(endless, {}, onError)) break;
  const before = read;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read - before).toBeLessThan(2);
  expect(onError).not.toHaveBeenCalled();
});
