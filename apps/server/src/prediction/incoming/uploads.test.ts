import { appendFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import { type ObjectStorage, writeObject } from '../../storage/object-storage.ts';
import { openUploads } from './uploads.ts';

let dataDir: string;
let storage: ObjectStorage;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-uploads-'));
  storage = openFolderStorage(dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const namesIn = async (storage: ObjectStorage): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const { name } of storage.list('uploads/')) names.push(name);
  return names.sort();
};
const open = () => openUploads({ storage, dataDir, log: pino({ level: 'silent' }) });

describe('Uploads', () => {
  it('are removed together with the checkpoint that another machine stored', async () => {
    const [web, worker, another] = await Promise.all([open(), open(), open()]);
    await writeFile(web.receivePathOf('one'), 'sound');
    await web.store('one');
    const checkpoint = await worker.openCheckpoint('one', new AbortController().signal);
    for (const growth of ['begun', 'further']) {
      await appendFile(checkpoint.path, growth);
      checkpoint.save();
    }
    await checkpoint[Symbol.asyncDispose]();
    expect(await namesIn(storage)).toEqual(expect.arrayContaining(['uploads/one', 'uploads/one.checkpoint/0']));
    await another.removeNow('one');
    expect(await namesIn(storage)).toEqual([]);
    expect(await readdir(join(dataDir, 'uploads'))).toEqual([]);
  });

  it('that an earlier run left are removed at the start, except recordings that are needed and their checkpoints', async () => {
    for (const name of ['needed', 'needed.checkpoint/0', 'other', 'other.checkpoint/0'])
      await writeObject(storage, `uploads/${name}`, (path) => writeFile(path, 'sound'));
    const uploads = await open();
    await uploads.removeAllBut(new Set(['needed']));
    expect(await namesIn(storage)).toEqual(['uploads/needed', 'uploads/needed.checkpoint/0']);
    await uploads.removeAllBut(new Set());
    expect(await namesIn(storage)).toEqual([]);
  });

  it('have a new name each time', async () => {
    const { newName } = await open();
    expect(new Set(Array.from({ length: 100 }, newName)).size).toBe(100);
  });
});
