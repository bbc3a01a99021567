import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openUploadFolder } from './upload-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'chiffchaff-uploads-')), 'uploads');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

async function leave(name: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'recording'), 'sound');
}

describe('openUploadFolder', () => {
  it('removes what killed processes have left, and what an earlier one of the same id has', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await leave(String(child.pid));
    await leave(String(process.pid));
    await leave('something');
    await openUploadFolder(folder);
    expect(await readdir(folder)).toEqual([String(process.pid)]);
    expect(await readdir(join(folder, String(process.pid)))).toEqual([]);
  });

  it('leaves alone what a living process has there', async () => {
    await leave(String(process.ppid));
    await openUploadFolder(folder);
    expect(await readdir(join(folder, String(process.ppid)))).toEqual(['recording']);
  });

  it('gives a new path each time and takes all of its own away at the end', async () => {
    const uploads = await openUploadFolder(folder);
    const paths = new Set(Array.from({ length: 100 }, () => uploads.newPath()));
    expect(paths.size).toBe(100);
    await writeFile(uploads.newPath(), 'sound');
    await uploads.close();
    expect(await readdir(folder)).toEqual([]);
  });
});
