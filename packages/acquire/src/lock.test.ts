import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeLock } from './lock.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inProgress = expect.objectContaining({ name: 'AcquireError', code: 'INSTALL_IN_PROGRESS' });

it('A lock file is held by one caller until it is released; then the next caller gets it', async () => {
  const first = await takeLock(file);
  await expect(takeLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
  let waited = 0;
  const onWait = (): void => {
    waited += 1;
    first[Symbol.dispose]();
  };
  using _second = await takeLock(file, { onWait });
  expect(waited).toBe(1);
});

it('A lock file that another process holds is respected while that process lives, and taken over once it was killed', async () => {
  const script = `
    import { takeLock } from ${JSON.stringify(new URL('./lock.ts', import.meta.url))};
    globalThis.lock = await takeLock(${JSON.stringify(file)});
    process.stdout.write('held');
    setInterval(() => undefined, 1000);
  `;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(holder.stdout, 'data');
    await expect(takeLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
  } finally {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  }
  using _lock = await takeLock(file, { patienceMs: 0 });
});

it('Waiting for a lock file ends when the caller cancels it', async () => {
  using _lock = await takeLock(file);
  const controller = new AbortController();
  const waiting = takeLock(file, { signal: controller.signal, onWait: () => controller.abort() });
  await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
});

it('Taking a lock file in a missing folder fails with FOLDER_NOT_WRITABLE', async () => {
  const nowhere = takeLock(join(folder, 'missing', 'lock'));
  await expect(nowhere).rejects.toThrow(expect.objectContaining({ code: 'FOLDER_NOT_WRITABLE' }));
});
