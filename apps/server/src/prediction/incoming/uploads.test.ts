import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
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
  it('can be removed by any machine, together with the checkpoint that another machine stored', async () => {
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

  it('are not opened when the storage returns fewer bytes than were sent, as they would be refused as recordings without sound', async () => {
    const uploads = await open();
    await writeFile(uploads.receivePathOf('one'), 'sound');
    await uploads.store('one');
    const { signal } = new AbortController();
    expect(await uploads.open('one', 6, signal)).toBeNull();
    await using whole = await uploads.open('one', 5, signal);
    expect(whole && (await readFile(whole.path, 'utf8'))).toBe('sound');
  });
});
