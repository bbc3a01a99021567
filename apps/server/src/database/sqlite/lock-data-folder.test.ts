import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isServed, lockDataFolder } from './lock-data-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chiffchaff-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('The lock of a data folder', () => {
  it('is held by one server at a time, and released when it closes', () => {
    expect(isServed(folder)).toBe(false);
    const release = lockDataFolder(folder);
    expect(isServed(folder)).toBe(true);
    expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_IN_USE' }));
    expect(isServed(folder)).toBe(true);
    release();
    expect(isServed(folder)).toBe(false);
    lockDataFolder(folder)();
  });

  it('says that the disk is full, in the words of SQLite', () => {
    const full = new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL');
    using _exec = vi.spyOn(Sqlite.prototype, 'exec').mockImplementation(() => {
      throw full;
    });
    expect(() => lockDataFolder(folder)).toThrow(
      expect.objectContaining({
        code: 'DISK_FULL',
        message: 'The disk with the data folder (DATA_DIR) is full. Free some space or enlarge the disk.',
      }),
    );
  });

  it('is released when the process that holds it is killed', async () => {
    const module = JSON.stringify(fileURLToPath(new URL('lock-data-folder.ts', import.meta.url)));
    const program = `import { lockDataFolder } from ${module};
      globalThis.release = lockDataFolder(${JSON.stringify(folder)}); process.stdout.write('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    expect(isServed(folder)).toBe(true);
    expect(() => lockDataFolder(folder)).toThrow(/Another server/);
    child.kill('SIGKILL');
    await ended;
    expect(isServed(folder)).toBe(false);
    lockDataFolder(folder)();
  });
});
