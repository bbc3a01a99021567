import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { openSqlite } from '../database/sqlite/open-sqlite.ts';
import { openStores } from './open-stores.ts';
import { PartStack } from './part-stack.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-stores-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const log = pino({ level: 'silent' });
const open = (parts: PartStack) => openStores({ ...readConfig({ DATA_DIR: dataDir }), log }, parts);

it('A damaged database is reported with what to do about it, and the data folder is released', async () => {
  const database = openSqlite(dataDir);
  const accepted = Array.from({ length: 500 }, (_, n) => ({ accountId: `account-${n}`, version: '1', acceptedAtMs: 1 }));
  await database.change({}, (query) => query.insertInto('termsAcceptances').values(accepted).execute());
  await database.close();
  const path = join(dataDir, 'chiffchaff.sqlite');
  const healthy = await readFile(path);
  const bytes = Buffer.from(healthy);
  // Damages a page that a start does not read.
  const at = bytes.lastIndexOf('account-250');
  bytes.fill(0xff, at - (at % 4096), at);
  await writeFile(path, bytes);
  const parts = new PartStack();
  await expect(open(parts)).rejects.toMatchObject({
    code: 'FILE_DAMAGED',
    message: expect.stringMatching(/^chiffchaff\.sqlite in the data folder is damaged\. .*restore a backup/),
  });
  await parts.disposeAsync();
  await writeFile(path, healthy);
  await using again = new PartStack();
  expect(await open(again)).toMatchObject({ dataDir });
});

it('A data folder that another server uses is refused with FOLDER_IN_USE', async () => {
  await using first = new PartStack();
  await open(first);
  await using second = new PartStack();
  await expect(open(second)).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });
});
