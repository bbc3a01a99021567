import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { removeStrayUploads } from './stray-uploads.ts';

let dataDir: string;
let database: Database;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-stray-'));
  database = await openTestDatabase(dataDir);
});
afterEach(async () => {
  await database.close();
  await dropTestDatabase(dataDir);
  await rm(dataDir, { recursive: true, force: true });
});

it('Uploads older than a day without a row in the database are removed, with their checkpoints', async () => {
  const storage = openFolderStorage(dataDir);
  const yesterday = Date.now() / 1000 - 25 * 3600;
  for (const name of ['named', 'named.checkpoint/0', 'named.checkpoint/1', 'stray', 'stray.checkpoint/0', 'arriving']) {
    const path = await storage.draftPathFor();
    await writeFile(path, name);
    await storage.put(`uploads/${name}`, path);
    if (name !== 'arriving') await utimes(join(dataDir, 'uploads', name), yesterday, yesterday);
  }
  const row = { id: 'one', requestHash: '', createdAtMs: 1, state: 'queued', fields: '{}', sha256: '', bytes: 1 } as const;
  await database.change({}, (query) =>
    query
      .insertInto('predictions')
      .values({ ...row, uploadName: 'named', attempts: 0 })
      .execute(),
  );
  await removeStrayUploads(storage, database);
  const left: string[] = [];
  for await (const { name } of storage.list('uploads/')) left.push(name.slice('uploads/'.length));
  expect(left.sort()).toEqual(['arriving', 'named', 'named.checkpoint/0', 'named.checkpoint/1']);
});
