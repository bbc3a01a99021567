import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../database/database.ts';
import { dropTestDatabase, openTestDatabase } from '../testing/test-database.ts';
import { removeStrays } from './compare-storage.ts';
import { openFolderStorage } from './folder-storage.ts';
import { writeObject } from './object-storage.ts';

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-compare-'));
  database = await openTestDatabase(dataDir);
});
afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

it('Stored objects without a row in the database are removed, recordings and their checkpoints only after a day', async () => {
  const storage = openFolderStorage(dataDir);
  const yesterday = Date.now() / 1000 - 25 * 3600;
  const needed = ['uploads/named', 'uploads/named.checkpoint/0', 'resumable-uploads/arrives.0-5', 'audio/kept/moments'];
  const strays = ['uploads/stray', 'uploads/stray.checkpoint/0', 'resumable-uploads/used.0-5', 'audio/unknown/moments'];
  for (const name of [...needed, ...strays, 'uploads/arriving', 'storage-id']) {
    await writeObject(storage, name, (path) => writeFile(path, name));
    if (/^uploads\/[^a]/.test(name)) await utimes(join(dataDir, name), yesterday, yesterday);
  }
  const row = { id: 'one', requestHash: '', createdAtMs: 1, state: 'queued', fields: '{}', sha256: '', bytes: 1 } as const;
  const upload = { accountId: 'owner', createdAtMs: 1, bytes: 5, metadata: '{}', sha256: null };
  const sound = {
    id: 'kept',
    predictionId: 'one',
    accountId: 'owner',
    createdAtMs: 1,
    moments: '[]',
    durationSeconds: 3,
    channels: 1,
  };
  await database.change({}, async (query) => {
    await query
      .insertInto('predictions')
      .values({ ...row, uploadName: 'named', attempts: 0 })
      .execute();
    await query
      .insertInto('resumableUploads')
      .values([
        { ...upload, id: 'arrives', usedAtMs: null },
        { ...upload, id: 'used', usedAtMs: 1 },
      ])
      .execute();
    await query
      .insertInto('keptSounds')
      .values({ ...sound, recordingUntilMs: null, momentsUntilMs: Date.now() + 1e9, preparedAtMs: 1, asSentType: null })
      .execute();
  });
  // The spectrum of what is kept is missing.
  expect(await removeStrays({ storage, query: database.query })).toEqual(['kept']);
  const left: string[] = [];
  for (const prefix of ['uploads/', 'resumable-uploads/', 'audio/', 'storage-id'])
    for await (const { name } of storage.list(prefix)) left.push(name);
  expect(left.sort()).toEqual([...needed, 'uploads/arriving', 'storage-id'].sort());
});
