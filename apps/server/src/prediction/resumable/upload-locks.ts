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
 * Lets one machine at a time write an upload, by PostgreSQL locks that end with their connection, of which each machine has one. A machine
 * that wants an upload notifies the one that has it.
 */
export async function openUploadLocks(database: PostgresDatabase) {
  const machine = randomUUID();
  /** Uploads that this machine holds, and how to end their requests. */
  const held = new Map<string, (why: HttpProblem) => void>();
  let connecting: Promise<PoolClient> | null = null;
  const inOrder = pLimit(1);
  let closed = false;

  const stopListening = await database.listen(CHANNEL, (payload) => {
    const [id = '', by] = payload.split(' ');
    if (by !== machine) held.get(id)?.(busy());
  });

  /** The connection's locks are lost, so other machines may be writing already. */
  function lose(client: PoolClient): void {
    // It has been released.
    if (connecting === null) return;
    connecting = null;
    client.release(true);
    for (const interrupt of held.values()) interrupt(busy());
  }

  async function connect(): Promise<PoolClient> {
    const client = await database.pool.connect();
    client.once('error', () => lose(client));
    return client;
  }

  async function ask(statement: string, id: string): Promise<boolean> {
    // A request may end after closing. Its lock ended with the connection, and a new one would keep the process alive.
    if (closed) throw busy();
    connecting ??= connect().catch((error: unknown) => {
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

  return {
    /**
     * @param interrupt called when another machine wants it, or may have it
     * @returns a function that gives it back
     * @throws HttpProblem SERVER_BUSY when another machine does not release it
     * @throws DatabaseError UNREACHABLE
     */
    async take(id: string, interrupt: (why: HttpProblem) => void): Promise<() => Promise<void>> {
      const givesUpAt = performance.now() + PATIENCE_MS;
      for (let isTold = false; !(await ask('pg_try_advisory_lock', id)); isTold = true) {
        if (performance.now() > givesUpAt) throw busy();
        if (!isTold) await database.notify(CHANNEL, `${id} ${machine}`);
        await sleep(TRY_EVERY_MS);
      }
      held.set(id, interrupt);
      return async () => {
        held.delete(id);
        // If the connection is lost, so is the lock.
        await ask('pg_advisory_unlock', id).catch(() => {});
      };
    },
    async close(): Promise<void> {
      closed = true;
      await stopListening();
      const client = await connecting?.catch(() => null);
      connecting = null;
      client?.release(true);
    },
  };
}
