import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { chooseExcerpts, createAnalysisService } from '@chiffchaff/analysis';
import { ffmpegPath, makeWav, samplePrediction } from '@chiffchaff/analysis/testing';
import { spectrogramQuerySchema } from '@chiffchaff/contract';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openS3Storage } from '../../machines/s3/s3-storage.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { isS3Installed, S3_CREDENTIALS, startS3, type TestS3 } from '../../testing/start-s3.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { type AudioRetention, openAudioRetention } from './audio-retention.ts';
import { detection } from './testing/test-retention.ts';

const { signal } = new AbortController();
let server: TestS3;
let dataDir: string;
let database: Database;
let clock: number;
const machines: { readonly sounds: AudioRetention; readonly storage: ObjectStorage }[] = [];

beforeAll(async () => {
  if (isS3Installed()) server = await startS3();
});
afterAll(() => server?.stop());
beforeEach(async ({ skip }) => {
  if (!isS3Installed()) skip('juicefs is not installed');
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-shared-'));
  database = await openTestDatabase(dataDir);
  clock = Date.now();
});
afterEach(async () => {
  for (const { sounds, storage } of machines.splice(0)) {
    await sounds.close();
    storage.close();
  }
  await database?.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

async function openMachine(faults: Partial<ObjectStorage> = {}) {
  const storage = await openS3Storage({
    ...{ endpoint: server.endpoint, region: 'us-east-1', address: { bucket: 'chiffchaff', prefix: dataDir.slice(-6) } },
    ...{ credentials: S3_CREDENTIALS, scratchFolder: join(dataDir, randomUUID()) },
  });
  Object.assign(storage, faults);
  const sounds = await openAudioRetention({
    ...{ database, storage, log: pino({ level: 'silent' }), retentionDays: 30, now: () => clock },
    service: createAnalysisService({
      openInstalled: async () => ({ missing: [] }),
      findFfmpeg: async () => ffmpegPath,
      modelFolderPath: '/nowhere',
    }),
  });
  machines.push({ sounds, storage });
  return { sounds, storage };
}

async function draft(storage: ObjectStorage, seconds = 1): Promise<string> {
  const path = await storage.draftPathFor();
  await writeFile(path, makeWav({ seconds }));
  return path;
}

async function hear(storage: ObjectStorage, seconds = 10) {
  const upload = `uploads/${randomUUID()}`;
  await storage.put(upload, await draft(storage, seconds));
  const heard = samplePrediction({ fileName: 'x.wav', durationSeconds: seconds, sampleRate: 48_000, channels: 1 });
  return {
    ...{ accountId: 'owner', predictionId: randomUUID(), upload, recording: heard.recording, keepAudio: null },
    ...{ excerpts: chooseExcerpts({ ...heard, detections: [detection(1, 4)] }), listeningCopy: false },
  };
}

async function objects(storage: ObjectStorage): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.list('')) names.push(name.replace(/[0-9a-f-]{36}/, 'ID'));
  return names.sort();
}
const rows = () => database.query.selectFrom('keptSounds').selectAll().execute();
const moments = ['audio/ID/moments', 'audio/ID/moments.spectrum'];

describe('Kept audio in an S3 bucket', () => {
  it('is made by one machine, and played and drawn on another', async () => {
    const [worker, web] = [await openMachine(), await openMachine()];
    const heard = await hear(worker.storage);
    await worker.sounds.keepSound(heard);
    await expect.poll(() => objects(web.storage)).toEqual(moments);
    const { bytes, read } = await web.sounds.play('owner', heard.predictionId, signal);
    expect((await buffer(await read({ firstByte: 0, lastByte: bytes - 1 }))).toString('latin1', 0, 64)).toContain('webm');
    const query = spectrogramQuerySchema.parse({ startSeconds: 0, endSeconds: 6, maxHz: 12_000, columns: 10, rows: 16 });
    const shown = await web.sounds.show({ accountId: 'owner', predictionId: heard.predictionId }, query, {
      owner: 'owner',
      signal,
    });
    expect(shown).not.toHaveLength(0);
    await web.sounds.forget('owner', heard.predictionId);
    expect(await objects(worker.storage)).toEqual([]);
  });

  it('is made by another machine only once the machine that began is gone', async () => {
    const [first, second] = [await openMachine(), await openMachine()];
    const heard = await hear(first.storage, 60);
    await first.sounds.keepSound(heard);
    await first.sounds.close();
    const unmade = await objects(first.storage);
    expect(unmade).toContain('audio/ID/original');
    await second.sounds.startPreparing();
    expect(await database.query.selectFrom('keptSounds').select('preparedAtMs').execute()).toEqual([{ preparedAtMs: null }]);
    expect(await objects(first.storage)).toEqual(unmade);
    await second.sounds.close();
    clock += 31_000;
    const third = await openMachine();
    await third.sounds.startPreparing();
    await expect.poll(() => objects(third.storage)).toEqual(moments);
  });

  it('leaves nothing if it is deleted on another machine while it is made', async () => {
    const [worker, web] = [await openMachine(), await openMachine()];
    const heard = await hear(worker.storage, 120);
    await worker.sounds.keepSound(heard);
    await web.sounds.forget('owner', heard.predictionId);
    await expect.poll(() => objects(web.storage)).toEqual([]);
    await worker.sounds.close();
    expect(await rows()).toHaveLength(1);
    // A request of the worker arrives late.
    await web.storage.put(`audio/${(await rows())[0]?.id}/recording`, await draft(web.storage));
    await web.sounds.sweep();
    expect(await rows()).toHaveLength(1);
    clock += 31_000;
    await web.sounds.sweep();
    expect(await objects(web.storage)).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('that cannot be removed is no longer found, and is removed by the next sweep', async () => {
    const remove = () => Promise.reject(new StorageError('AWAY', 'no answer'));
    const [worker, web] = [await openMachine(), await openMachine({ remove })];
    const heard = await hear(worker.storage);
    await worker.sounds.keepSound(heard);
    await expect.poll(() => objects(web.storage)).toEqual(moments);
    await worker.sounds.settled();
    await expect(web.sounds.forget('owner', heard.predictionId)).rejects.toThrow(StorageError);
    expect(await objects(web.storage)).toEqual(moments);
    expect(await web.sounds.keptAudioOf('owner', [heard.predictionId])).toEqual(new Map());
    await expect(web.sounds.play('owner', heard.predictionId, signal)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await worker.sounds.sweep();
    expect(await objects(web.storage)).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it('is removed when it is due, whichever machine sweeps', async () => {
    const [worker, web] = [await openMachine(), await openMachine()];
    await worker.sounds.keepSound(await hear(worker.storage));
    await expect.poll(() => objects(web.storage)).toEqual(moments);
    clock += 30 * 86_400_000;
    await web.sounds.sweep();
    expect(await objects(web.storage)).toEqual([]);
    expect(await rows()).toEqual([]);
  });
});
