import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFolderStorage } from '../../storage/folder-storage.ts';
import { openUploadBucket } from './upload-bucket.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-bucket-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

it('An upload in a bucket is removed together with the checkpoint that another machine stored', async () => {
  const storage = openFolderStorage(dataDir);
  const [web, worker, another] = [1, 2, 3].map(() => openUploadBucket({ storage, log: pino({ level: 'silent' }) }));
  const left = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const { name } of storage.list('uploads/')) names.push(name);
    return names.sort();
  };
  await writeFile((await web?.receivePathOf('one')) ?? '', 'sound');
  await web?.store('one');
  const checkpoint = await worker?.openCheckpoint('one', new AbortController().signal);
  for (const growth of ['begun', 'further']) {
    await appendFile(checkpoint?.path ?? '', growth);
    checkpoint?.save();
  }
  await checkpoint?.[Symbol.asyncDispose]();
  expect(await left()).toEqual(expect.arrayContaining(['uploads/one', 'uploads/one.checkpoint/0']));
  await another?.removeNow('one');
  expect(await left()).toEqual([]);
});
