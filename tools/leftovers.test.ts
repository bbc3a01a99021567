import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endLeftovers } from './leftovers.ts';

it.skipIf(process.platform !== 'linux')(
  'Processes left behind by a test run are recognised by its folder, killed and reported, and no others',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'leftovers-'));
    const waits = `setInterval(() => {}, 1000); console.log('up');`;
    const start = (TMPDIR: string) =>
      spawn(process.execPath, ['--eval', waits], { env: { TMPDIR }, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const [left, other] = [start(folder), start(tmpdir())];
    try {
      await Promise.all([once(left.stdout, 'data'), once(other.stdout, 'data')]);
      const named = endLeftovers(folder);
      expect(named.map((line) => line.split(' ')[0])).toEqual([String(left.pid)]);
      // A zombie has an empty command line.
      const commandLine = `/proc/${left.pid}/cmdline`;
      await expect.poll(() => existsSync(commandLine) && readFileSync(commandLine, 'utf8') !== '').toBe(false);
      expect(readFileSync(`/proc/${other.pid}/cmdline`, 'utf8')).not.toBe('');
    } finally {
      for (const child of [left, other]) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
