import { type Kysely, type Selectable, sql } from 'kysely';
import type { PredictionsTable, Tables } from '../../../database/tables.ts';
import type { Job } from '../job.ts';

/** The schema that pg-boss creates and migrates. */
export const BOSS_SCHEMA = 'pgboss';
export const QUEUE = 'predictions';

/** The channel that is notified when a prediction's row has changed. */
export const channelOf = (id: string): string => `prediction ${id}`;

/** What a row says about the progress and outcome of its job. */
export interface WorkRow extends Readonly<Pick<Selectable<PredictionsTable>, 'id' | 'accountId' | 'problem' | 'progress'>> {
  readonly answerBytes: number | null;
  readonly behindOthers: boolean;
}

/** What pg-boss needs to know of a job. */
export type Enqueued = Pick<Job, 'id' | 'accountId' | 'bytes'>;

export async function readWork(query: Kysely<Tables>, ids: readonly string[]): Promise<readonly WorkRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<WorkRow>`
    SELECT id, "accountId", problem, length(answer) AS "answerBytes", progress,
      state = 'queued' AND progress IS NULL AND (
        SELECT bool_or(id = prediction.id::uuid AND state < 'active') AND bool_or(state = 'active')
        FROM ${sql.table(`${BOSS_SCHEMA}.job`)}
        WHERE name = ${QUEUE} AND state <= 'active' AND (state = 'active' OR id = prediction.id::uuid)
      ) IS TRUE AS "behindOthers"
    FROM predictions AS prediction
    WHERE id = ANY(${ids})`.execute(query);
  return rows;
}

/** Does nothing once the job has ended; otherwise notifies those that follow it. @param progress JSON */
export async function writeProgress(query: Kysely<Tables>, id: string, progress: string | null): Promise<void> {
  await sql`
    WITH changed AS (
      UPDATE predictions SET progress = ${progress} WHERE id = ${id} AND state = 'queued' RETURNING id
    )
    SELECT pg_notify(${channelOf(id)}, '') FROM changed`.execute(query);
}

/** Queued predictions from before that time that have no job. */
export async function findWithoutJob(query: Kysely<Tables>, beforeMs: number): Promise<readonly Enqueued[]> {
  const { rows } = await sql<Enqueued>`
    SELECT id, "accountId", bytes FROM predictions
    WHERE state = 'queued' AND "createdAtMs" < ${beforeMs}
      AND NOT EXISTS (
        SELECT FROM ${sql.table(`${BOSS_SCHEMA}.job`)} AS job WHERE job.name = ${QUEUE} AND job.id = predictions.id::uuid
      )`.execute(query);
  return rows;
}

/** How many jobs wait. */
export async function countWaiting(query: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*) AS waiting FROM ${sql.table(`${BOSS_SCHEMA}.job`)} WHERE name = ${QUEUE} AND state < 'active'`.execute(query);
  return rows[0]?.waiting ?? 0;
}
