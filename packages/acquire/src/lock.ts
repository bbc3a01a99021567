import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { AcquireError } from './acquire-error.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for another process to finish. */
  readonly patienceMs?: number;
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void;
}

const POLL_MS = 200;
const SQLITE_BUSY = 5;

/**
 * Takes the lock `file`, waiting for another holder. It is SQLite's lock on an empty database, which the system releases however the
 * process ends; the file stays.
 *
 * @throws AcquireError `INSTALL_IN_PROGRESS` if the other holder does not finish in time
 * @throws AcquireError `FOLDER_NOT_WRITABLE`
 * @throws the signal's reason when it aborts
 */
export async function takeLock(file: string, options: LockOptions = {}): Promise<Disposable> {
  const { signal, patienceMs = 10 * 60_000, onWait } = options;
  const deadline = Date.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    const database = tryLock(file);
    if (database !== null) return { [Symbol.dispose]: () => database.close() };
    if (Date.now() >= deadline) {
      throw new AcquireError('INSTALL_IN_PROGRESS', `another process has locked ${file} and did not finish in time`);
    }
    if (tries === 0) onWait?.();
    await wait(POLL_MS, undefined, { signal });
  }
}

function tryLock(file: string): DatabaseSync | null {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // Nothing is ever written, so no journal file is needed.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null;
    throw new AcquireError('FOLDER_NOT_WRITABLE', `${file} is not writable`, { cause: error });
  }
}
