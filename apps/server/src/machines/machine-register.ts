import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { DatabaseError, hasDatabaseCode } from '../database/database-error.ts';
import type { Tables } from '../database/tables.ts';
import { isOtherModelInUse } from '../operation/troubles.ts';
import { OTHER_MODEL } from '../prediction/model-loader.ts';
import { createJobTime, FIRST_JOB_SECONDS, type Workers } from '../prediction/queue/admission.ts';
import { repeat } from '../repeat.ts';
import { BEAT_EVERY_MS, goneBeforeMs, nowMs } from './heartbeat.ts';

export interface MachineRegisterOptions {
  readonly database: Database;
  /** jobs it runs concurrently; none on a web machine */
  readonly places: number;
  /** fingerprint of its model; null while none is loaded */
  readonly model: () => string | null;
  /** Called when another model is found later: two machines may get theirs at once. */
  readonly onOtherModel: () => unknown;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Publishes this machine's model to all others and its capacity to those that accept recordings, until it is closed.
 *
 * @throws DatabaseError OTHER_MODEL when a machine with another model is running, and others
 */
export async function registerMachine(options: MachineRegisterOptions) {
  const { database, places, model, onOtherModel, log } = options;
  const { query } = database;
  const id = randomUUID();
  const jobTime = createJobTime();

  async function remove(): Promise<void> {
    const own = query.deleteFrom('machines').where('id', '=', id);
    // If PostgreSQL is unavailable, the row expires.
    await own.execute().catch(() => {});
  }

  async function beat(): Promise<void> {
    const row = { places, model: model(), jobSeconds: jobTime.seconds, seenAtMs: nowMs };
    await query
      .insertInto('machines')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
    await query.deleteFrom('machines').where('seenAtMs', '<', goneBeforeMs).execute();
    if (!(await isOtherModelInUse(database, row.model))) return;
    await remove();
    throw new DatabaseError('OTHER_MODEL', OTHER_MODEL);
  }

  await beat();
  const beats = repeat(beat, BEAT_EVERY_MS, (error) =>
    hasDatabaseCode(error, 'OTHER_MODEL')
      ? onOtherModel()
      : log.warn({ err: error }, 'this machine could not report that it is running'),
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
export async function readWorkers(query: Kysely<Tables>): Promise<Workers> {
  const row = await query
    .selectFrom('machines')
    .select([sql<number | null>`sum(places)`.as('places'), sql<number | null>`avg("jobSeconds")`.as('jobSeconds')])
    .where('seenAtMs', '>', goneBeforeMs)
    .where('places', '>', 0)
    .executeTakeFirst();
  return { places: row?.places ?? 0, jobSeconds: row?.jobSeconds ?? FIRST_JOB_SECONDS };
}
