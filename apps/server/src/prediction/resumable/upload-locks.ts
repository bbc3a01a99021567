import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { PoolClient } from 'pg';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { explainPostgres } from '../../database/postgres/postgres-error.ts';
import { HttpProblem, RETRY_AFTER_SECONDS } from '../../http/http-problem.ts';

export type UploadLocks = Awaited<ReturnType<typeof openUploadLocks>>;

const CHANNEL = 'upload_wanted';
/** `uploads` in ASCII, to differ from other locks. */
const LOCKS = '33055785938677875';
const TRY_EVERY_MS = 50;
/** A disconnected machine keeps its locks until PostgreSQL notices. */
const PATIENCE_MS = 20_000;

const busy = (): HttpProblem => new HttpProblem('SERVER_BUSY', { retryAfterSeconds: RETRY_AFTER_SECONDS });

/**
 * Lets one request at a time write an upload. Between machines by PostgreSQL locks, which end with their connection, of which each machine
 * has one. A machine that wants an upload notifies the one that has it.
 *
 * @param database null on a single machine
 */
export async function openUploadLocks(database: PostgresDatabase | null) {
  const machine = randomUUID();
  /** The latest request of this machine that has an upload or waits for it. It has ended those before it. */
  const latest = new Map<string, { readonly interrupt: (why: HttpProblem) => void; readonly over: Promise<void> }>();
  let connecting: Promise<PoolClient> | null = null;
  const inOrder = pLimit(1);
  let closed = false;

  const stopListening = await database?.listen(CHANNEL, (payload) => {
    const [id = '', by] = payload.split(' ');
    if (by !== machine) latest.get(id)?.interrupt(busy());
  });

  /** The connection's locks are lost, so other machines may be writing already. */
  function lose(client: PoolClient): void {
    // It has been released.
    if (connecting === null) return;
    connecting = null;
    client.release(true);
    for (const { interrupt } of latest.values()) interrupt(busy());
  }

  async function connect({ pool }: PostgresDatabase): Promise<PoolClient> {
    const client = await pool.connect();
    client.once('error', () => lose(client));
    return client;
  }

  async function ask(statement: string, id: string): Promise<boolean> {
    if (database === null) return true;
    // A request may end after closing. Its lock ended with the connection, and a new one would keep the process alive.
    if (closed) throw busy();
    connecting ??= connect(database).catch((error: unknown) => {
      connecting = null;
      throw error;
    });
    try {
      const client = await connecting;
      const text = `SELECT ${statement}(hashtextextended($1, ${LOCKS})) AS answer`;
      const { rows } = await inOrder(() => client.query<{ answer: boolean }>(text, [id]));
      return rows[0]?.answer === true;
    } catch (error) {
      throw explainPostgres(error);
    }
  }

  /** Waits until no other machine holds it. @throws HttpProblem SERVER_BUSY, DatabaseError UNREACHABLE */
  async function takeFromMachines(id: string): Promise<void> {
    const givesUpAt = performance.now() + PATIENCE_MS;
    for (let isTold = false; !(await ask('pg_try_advisory_lock', id)); isTold = true) {
      if (performance.now() > givesUpAt) throw busy();
      if (!isTold) await database?.notify(CHANNEL, `${id} ${machine}`);
      await sleep(TRY_EVERY_MS);
    }
  }

  return {
    /**
     * Ends the request that has an upload, and waits until it has ended.
     *
     * @param interrupt called when another request wants it, or another machine may have it
     * @param why for the request that has it, if that is on this machine
     * @returns a function that gives it back
     * @throws HttpProblem SERVER_BUSY when another machine does not release it
     * @throws DatabaseError UNREACHABLE
     */
    async take(id: string, interrupt: (why: HttpProblem) => void, why = busy()): Promise<() => Promise<void>> {
      const before = latest.get(id);
      const { promise: over, resolve } = Promise.withResolvers<void>();
      const turn = { interrupt, over };
      latest.set(id, turn);
      const end = (): void => {
        if (latest.get(id) === turn) latest.delete(id);
        resolve();
      };
      before?.interrupt(why);
      await before?.over;
      try {
        await takeFromMachines(id);
      } catch (error) {
        end();
        throw error;
      }
      return async () => {
        // If the connection is lost, so is the lock.
        await ask('pg_advisory_unlock', id).catch(() => {});
        end();
      };
    },
    async close(): Promise<void> {
      closed = true;
      await stopListening?.();
      const client = await connecting?.catch(() => null);
      connecting = null;
      client?.release(true);
    },
  };
}
