import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameOfThisRun } from './jobs/processes.ts';
import { openUploadFolder } from './upload-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'chiffchaff-uploads-')), 'uploads');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

async function leave(name: string, file = 'recording'): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, file), 'sound');
}

const files = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.includes('/')).sort();

describe('openUploadFolder', () => {
  it('removes what processes that live no more have left, but for what is needed', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    for (const name of [String(child.pid), String(process.pid), 'something']) await leave(name);
    await leave(String(child.pid), 'needed');
    await leave(String(child.pid), 'needed.notes');
    await leave(String(child.pid), 'other.notes');
    const uploads = await openUploadFolder(folder);
    await uploads.removeLeftovers(async () => new Set([`${child.pid}/needed`]));
    expect(await files()).toEqual([`${child.pid}/needed`, `${child.pid}/needed.notes`]);
    await uploads.removeLeftovers(async () => new Set());
    expect(await readdir(folder)).toEqual([expect.stringContaining(`${process.pid}.`)]);
  });

  it('leaves alone what a living run has there, and what this one has received itself', async () => {
    const other = nameOfThisRun(process.ppid);
    await leave(other);
    const uploads = await openUploadFolder(folder);
    const name = uploads.newName();
    await writeFile(uploads.pathOf(name), 'sound');
    await uploads.removeLeftovers(async () => new Set());
    expect(await files()).toEqual([`${other}/recording`, name].sort());
  });

  it('gives a new name each time, and takes its folder away when nothing is left in it', async () => {
    const uploads = await openUploadFolder(folder);
    const names = new Set(Array.from({ length: 100 }, () => uploads.newName()));
    expect(names.size).toBe(100);
    const [name = ''] = names;
    await writeFile(uploads.pathOf(name), 'sound');
    await uploads.close();
    expect(await files()).toEqual([name]);
    await uploads.remove(name);
    await uploads.remove(name);
    await uploads.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
