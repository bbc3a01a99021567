import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from './process.ts';

const run = join(root, 'tools/run.mjs');
let dataDir: string;
let started: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chiffchaff-run-'));
});
afterEach(async () => {
  for (const { pid } of started) endGroup(pid);
  started = [];
  await rm(dataDir, { recursive: true, force: true });
});

/** Kills what a failed test left running. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already ended, as it should.
  }
}

/** Starts a program as a shell does. `ended` resolves once it and everything it started have closed their output. */
function start(program: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) && name !== 'INIT_CWD');
  const child = spawn(program, args, {
    cwd: root,
    env: { ...Object.fromEntries(own), DATA_DIR: dataDir, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, for endGroup.
    detached: true,
  });
  started.push(child);
  let said = '';
  const listening = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      said += piece;
      if (said.includes('Server listening')) listening.resolve();
    });
  }
  const ended = once(child, 'close').then(([code]: unknown[]) => code);
  void ended.then(() => listening.reject(new Error(`It ended before it listened: ${said}`)));
  listening.promise.catch(() => {});
  return { child, ended, listening: listening.promise, said: () => said };
}

describe('`npm start`', () => {
  it('says what is wrong with the configuration before it builds or downloads anything', async () => {
    const { ended, said } = start('node', [run, 'start'], { PORT: 'eighty', MODEL_FILE: join(dataDir, 'nothing.zip') });
    expect(await ended).toBe(2);
    expect(said()).toMatch(/^The configuration has an error:\n {2}PORT must be a whole number from 0 to 65535, .*\n$/);
  });

  describe('with a running server', () => {
    beforeEach(async () => {
      // A copy, because set-up may write there.
      await cp(join(root, 'data/models'), join(dataDir, 'models'), { recursive: true, dereference: true });
    });

    it.each([
      ['npm', 'SIGTERM', 'npm', ['start']],
      ['tools/run.mjs', 'SIGTERM', 'node', [run, 'start']],
      ['tools/run.mjs', 'SIGKILL', 'node', [run, 'start']],
    ] as const)('stops the server when %s gets %s', async (_, signal, program, args) => {
      const { child, ended, listening, said } = start(program, args, { INFERENCE_WORKERS: '1' });
      await listening;
      child.kill(signal);
      await ended;
      expect(said()).toContain('"msg":"stopped"');
    });
  });
});
