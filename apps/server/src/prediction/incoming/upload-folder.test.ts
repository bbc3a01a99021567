import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openUploadFolder } from './upload-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'chiffchaff-uploads-')), 'uploads');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const left = async (): Promise<string[]> => (await readdir(folder, { recursive: true })).sort();

describe('The folder of uploads (`openUploadFolder`)', () => {
  it('removes what an earlier run left, except recordings that are needed and their checkpoints', async () => {
    const uploads = await openUploadFolder(join(folder, '..'));
    for (const name of ['needed', 'needed.checkpoint', 'other', 'other.checkpoint']) await writeFile(join(folder, name), 'sound');
    await uploads.removeAllBut(new Set(['needed']));
    expect(await left()).toEqual(['needed', 'needed.checkpoint']);
    await uploads.removeAllBut(new Set());
    expect(await left()).toEqual([]);
  });

  it('returns a new name each time, and removes a recording with its checkpoint, once or twice', async () => {
    const uploads = await openUploadFolder(join(folder, '..'));
    const names = new Set(Array.from({ length: 100 }, () => uploads.newName()));
    expect(names.size).toBe(100);
    const [name = '', other = ''] = names;
    await using checkpoint = await uploads.openCheckpoint(name, new AbortController().signal);
    for (const path of [await uploads.receivePathOf(name), checkpoint.path, await uploads.receivePathOf(other)])
      await writeFile(path, 'sound');
    await uploads.remove(name);
    await uploads.remove(name);
    expect(await left()).toEqual([other]);
  });
});
