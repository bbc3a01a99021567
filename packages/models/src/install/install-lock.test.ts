import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeInstallLock } from './install-lock.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const inProgress = expect.objectContaining({ name: 'ModelError', code: 'INSTALL_IN_PROGRESS' });

/** A process of this machine that lives as long as the test: the one that started it. */
const living = process.ppid;
const writeLock = (owner: object): Promise<void> =>
  writeFile(file, JSON.stringify({ token: 'other', host: hostname(), ...owner }));
const makeOld = (): Promise<void> => utimes(file, new Date(0), new Date(0));

it('a lock is held until it is released, then the next one gets it', async () => {
  const first = await takeInstallLock(file);
  await expect(takeInstallLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
  let waited = false;
  const onWait = (): void => {
    waited = true;
    void first.release();
  };
  const second = await takeInstallLock(file, { onWait });
  expect(waited).toBe(true);
  await second.release();
  expect(await readdir(folder)).toEqual([]);
});

it('the lock of a process that is gone is taken over at once', async () => {
  await writeLock({ processId: 2 ** 22 + 1 });
  await (await takeInstallLock(file, { patienceMs: 0 })).release();
});

it('the lock of a living process is respected', async () => {
  await writeLock({ processId: living });
  await expect(takeInstallLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
});

it('a lock with this process id that this process does not hold is of an earlier one', async () => {
  await writeLock({ processId: process.pid });
  await (await takeInstallLock(file, { patienceMs: 0 })).release();
});

it('the lock of another machine is respected until it was not touched for long', async () => {
  await writeLock({ processId: 1, host: 'another-machine' });
  await expect(takeInstallLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
  await makeOld();
  await (await takeInstallLock(file, { patienceMs: 0 })).release();
});

it('a lock that was only half written is respected until it was not touched for long', async () => {
  await writeFile(file, '{"token":');
  await expect(takeInstallLock(file, { patienceMs: 0 })).rejects.toThrow(inProgress);
  await makeOld();
  await (await takeInstallLock(file, { patienceMs: 0 })).release();
});

it('a lock that another process has taken over is not released by its former holder', async () => {
  const lock = await takeInstallLock(file);
  await writeLock({ processId: living });
  await lock.release();
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ token: 'other' });
});

it('waiting is stopped by the signal', async () => {
  const lock = await takeInstallLock(file);
  const controller = new AbortController();
  const waiting = takeInstallLock(file, { signal: controller.signal, onWait: () => controller.abort() });
  await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  await lock.release();
});
