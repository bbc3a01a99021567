import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { ModelError } from '../errors.ts';

/** Held by the one process that may write a model's folder. */
export interface InstallLock {
  release(): Promise<void>;
}

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** How long to wait for another process to finish. */
  readonly patienceMs?: number;
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void;
}

const ownerSchema = z.object({ token: z.string(), processId: z.int(), host: z.string() });
type Owner = z.infer<typeof ownerSchema>;

const HEARTBEAT_MS = 2000;
/** A lock whose owner is on another machine, or cannot be told, is left behind when it was not touched for this long. */
const STALE_MS = 30_000;
const POLL_MS = 200;

/** Tokens of locks this process holds. A process id alone does not tell: in containers every process may be number 1. */
const heldHere = new Set<string>();

/**
 * Takes the lock file `file`, waiting for another holder. The lock of a process that was killed is taken over at once.
 *
 * Throws `ModelError` `INSTALL_IN_PROGRESS` when the other does not finish in time.
 */
export async function takeInstallLock(file: string, options: LockOptions = {}): Promise<InstallLock> {
  const { signal, patienceMs = 10 * 60_000, onWait } = options;
  const deadline = Date.now() + patienceMs;
  let waited = false;
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLock(file);
    if (lock !== null) return lock;
    if (await removeIfLeftBehind(file)) continue;
    if (Date.now() >= deadline) throw inProgress(file);
    if (!waited) onWait?.();
    waited = true;
    await wait(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
}

async function tryLock(file: string): Promise<InstallLock | null> {
  const owner: Owner = { token: randomUUID(), processId: process.pid, host: hostname() };
  try {
    const handle = await open(file, 'wx');
    try {
      await handle.writeFile(JSON.stringify(owner));
    } catch (error) {
      // On a full disk, say: without a readable owner it would keep others waiting.
      await rm(file, { force: true });
      throw error;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return null;
    throw error;
  }
  heldHere.add(owner.token);
  const touch = (): void => void utimes(file, new Date(), new Date()).catch(() => undefined);
  const heartbeat = setInterval(touch, HEARTBEAT_MS).unref();
  return {
    release: async () => {
      clearInterval(heartbeat);
      heldHere.delete(owner.token);
      if (sameOwner(await readOwner(file), owner)) await rm(file, { force: true });
    },
  };
}

async function removeIfLeftBehind(file: string): Promise<boolean> {
  const seen = await readOwner(file);
  if (seen === 'gone') return true;
  if (!(await isLeftBehind(file, seen))) return false;
  // Renamed, not deleted: of two processes that found the same lock, only one can rename it. The other may catch the new lock of
  // the first instead, and puts it back.
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    const taken = await readOwner(aside);
    if (!sameOwner(taken, seen)) await link(aside, file);
  } catch {
    return true;
  } finally {
    await rm(aside, { force: true });
  }
  return true;
}

const sameOwner = (first: Owner | 'gone' | 'unreadable', second: Owner | 'gone' | 'unreadable'): boolean =>
  typeof first === 'string' || typeof second === 'string' ? first === second : first.token === second.token;

async function readOwner(file: string): Promise<Owner | 'gone' | 'unreadable'> {
  try {
    const parsed = ownerSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? parsed.data : 'unreadable';
  } catch (error) {
    return error instanceof SyntaxError ? 'unreadable' : 'gone';
  }
}

async function isLeftBehind(file: string, owner: Owner | 'unreadable'): Promise<boolean> {
  if (owner !== 'unreadable' && owner.host === hostname()) {
    if (owner.processId === process.pid) return !heldHere.has(owner.token);
    if (!isRunning(owner.processId)) return true;
  }
  const touched = await stat(file).catch(() => null);
  return touched === null || Date.now() - touched.mtimeMs > STALE_MS;
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const inProgress = (file: string): ModelError =>
  new ModelError(
    'INSTALL_IN_PROGRESS',
    `Installing the model: another process is at it and did not finish in time. Wait for it; if there is none, delete ${file}.`,
    { file },
  );
