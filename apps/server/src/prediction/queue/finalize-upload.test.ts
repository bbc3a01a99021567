import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { samplePrediction } from '@chiffchaff/analysis/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import { StorageError } from '../../storage/storage-error.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { openUploads } from '../incoming/uploads.ts';
import { finalizeUpload } from './analyze-job.ts';
import { createJobStore } from './job-store.ts';

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-finalize-'));
  database = await openTestDatabase(dataDir);
});
afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

/** An answered prediction with its upload, and what a worker does that finds them after a crash. */
async function openAnswered() {
  const folder = openFolderStorage(dataDir);
  const failing = { keepSound: null as Error | null, remove: null as Error | null };
  const storage = {
    ...folder,
    async remove(names: readonly string[]) {
      if (failing.remove !== null) throw failing.remove;
      await folder.remove(names);
    },
  };
  const log = pino({ level: 'silent' });
  const uploads = await openUploads({ storage, dataDir, log });
  await writeFile(uploads.receivePathOf('sound'), 'sound');
  await uploads.store('sound');
  const row = {
    id: 'one',
    accountId: 'ann',
    requestHash: '',
    createdAtMs: 1,
    finishedAtMs: 2,
    state: 'done',
    fields: '{}',
  } as const;
  await database.change({}, (query) =>
    query
      .insertInto('predictions')
      .values({ ...row, sha256: '', bytes: 5, uploadName: 'sound', attempts: 0 })
      .execute(),
  );
  const jobs = createJobStore(database);
  const kept: string[] = [];
  const sounds = {
    async keepSound({ upload }: { readonly upload: string }) {
      if (failing.keepSound !== null) throw failing.keepSound;
      if ((await storage.bytesOf(upload)) !== null) kept.push(upload);
    },
    forget: async () => {},
  };
  const heard = { fileName: 'x.wav', durationSeconds: 3, sampleRate: 48_000, channels: 1 };
  const head = { prediction: samplePrediction(heard), excerpts: [], mentioned: [] };
  return {
    failing,
    kept,
    uploadBytes: () => storage.bytesOf('uploads/sound'),
    /** @returns how much is left then */
    async finalizeAll(): Promise<number> {
      for (const upload of await jobs.notFinalized(3)) await finalizeUpload({ jobs, uploads, sounds, log }, upload, head);
      return (await jobs.notFinalized(3)).length;
    },
    [Symbol.asyncDispose]: uploads.close,
  };
}

it('The row of an upload names its file until the file has been removed, so that a killed machine leaves no file behind', async () => {
  await using answered = await openAnswered();
  answered.failing.remove = new StorageError('AWAY', 'It is away.');
  expect(await answered.finalizeAll()).toBe(1);
  expect(await answered.uploadBytes()).toBe(5);
  answered.failing.remove = null;
  expect(await answered.finalizeAll()).toBe(0);
  expect(await answered.uploadBytes()).toBeNull();
});

it('A recording whose audio could not be kept because the database failed stays until it is kept', async () => {
  await using answered = await openAnswered();
  answered.failing.keepSound = new Error('Connection terminated unexpectedly');
  expect(await answered.finalizeAll()).toBe(1);
  expect(await answered.uploadBytes()).toBe(5);
  answered.failing.keepSound = null;
  expect(await answered.finalizeAll()).toBe(0);
  expect(answered.kept).toEqual(['uploads/sound']);
});
