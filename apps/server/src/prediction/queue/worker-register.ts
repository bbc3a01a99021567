import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { BEAT_EVERY_MS, goneBeforeMs, nowMs } from '../../machines/heartbeat.ts';
import { repeat } from '../../repeat.ts';
import { createJobTime, FIRST_JOB_SECONDS } from './admission.ts';

export interface WorkerRegisterOptions {
  readonly database: Pick<Database, 'query'>;
  /** jobs it runs concurrently */
  readonly places: number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Publishes this worker's capacity to the machines that accept recordings, until it is closed.
 *
 * @throws DatabaseError
 */
export async function registerWorker({ database: { query }, places, log }: WorkerRegisterOptions) {
  const id = randomUUID();
  const jobTime = createJobTime();

  async function beat(): Promise<void> {
    const row = { places, jobSeconds: jobTime.seconds, seenAtMs: nowMs };
    await query
      .insertInto('workers')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    await query.deleteFrom('workers').where('seenAtMs', '<', goneBeforeMs).execute();
  }

  await beat();
  const beats = repeat(beat, BEAT_EVERY_MS, (error) =>
    log.warn({ err: error }, 'this worker could not report that it is running'),
  );

  return {
    noteJob: jobTime.note,
    async close(): Promise<void> {
      void beats.close();
      // If PostgreSQL is unavailable, the row expires.
      await query
        .deleteFrom('workers')
        .where('id', '=', id)
        .execute()
        .catch(() => {});
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
