import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Tables } from '../../database/tables.ts';
import { BEAT_EVERY_MS, goneBeforeMs, nowMs } from '../../machines/heartbeat.ts';
import { repeat } from '../../repeat.ts';
import { createJobTime, FIRST_JOB_SECONDS } from './admission.ts';

export interface WorkerRegisterOptions {
  readonly database: Pick<Database, 'query'>;
  /** jobs it runs concurrently */
  readonly places: number;
  /** SHA-256 of its model; null while none is loaded */
  readonly model: () => string | null;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

const OTHER_MODEL =
  'Another worker of this database uses another model (MODEL_ID, or its version). All workers need the same one: stop those with the other, or install theirs here.';

/**
 * Publishes this worker's capacity to the machines that accept recordings, until it is closed.
 *
 * @throws DatabaseError OTHER_MODEL when a worker with another model is running, and others
 */
export async function registerWorker({ database: { query }, places, model, log }: WorkerRegisterOptions) {
  const id = randomUUID();
  const jobTime = createJobTime();

  async function remove(): Promise<void> {
    const own = query.deleteFrom('workers').where('id', '=', id);
    // If PostgreSQL is unavailable, the row expires.
    await own.execute().catch(() => {});
  }

  async function beat(): Promise<void> {
    const row = { places, model: model(), jobSeconds: jobTime.seconds, seenAtMs: nowMs };
    await query
      .insertInto('workers')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    await query.deleteFrom('workers').where('seenAtMs', '<', goneBeforeMs).execute();
    const other = await query.selectFrom('workers').select('id').where('model', '!=', row.model).executeTakeFirst();
    if (other === undefined) return;
    await remove();
    throw new DatabaseError('OTHER_MODEL', OTHER_MODEL);
  }

  await beat();
  const beats = repeat(beat, BEAT_EVERY_MS, (error) =>
    log.warn({ err: error }, 'this worker could not report that it is running'),
  );

  return {
    noteJob: jobTime.note,
    async close(): Promise<void> {
      void beats.close();
      await remove();
    },
  };
}

/** How many jobs all workers run concurrently, and how long a job takes on average. @throws DatabaseError */
export async function readWorkers(query: Kysely<Tables>): Promise<{ readonly places: number; readonly jobSeconds: number }> {
  const row = await query
    .selectFrom('workers')
    .select([sql<number | null>`sum(places)`.as('places'), sql<number | null>`avg("jobSeconds")`.as('jobSeconds')])
    .where('seenAtMs', '>', goneBeforeMs)
    .executeTakeFirst();
  return { places: row?.places ?? 0, jobSeconds: row?.jobSeconds ?? FIRST_JOB_SECONDS };
}
