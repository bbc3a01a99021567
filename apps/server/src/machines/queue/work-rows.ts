import { type Kysely, type Selectable, sql } from 'kysely';
import type { PredictionsTable, Tables } from '../../database/tables.ts';
import type { Job } from '../../prediction/queue/job.ts';

/** The schema that pg-boss creates and migrates. */
export const BOSS_SCHEMA = 'pgboss';
export const QUEUE = 'predictions';

/** Notified with the id of a prediction whose row has changed. */
export const CHANGED_CHANNEL = 'prediction changed';

/** What a row says about the progress and outcome of its job. */
export interface WorkRow extends Readonly<Pick<Selectable<PredictionsTable>, 'id' | 'accountId' | 'problem' | 'progress'>> {
  readonly answerBytes: number | null;
  readonly behindOthers: boolean;
}

/** What pg-boss needs to know of a job. */
export type Enqueued = Pick<Job, 'id' | 'accountId' | 'network' | 'bytes'>;

/** A job runs once it has progress. */
export async function readWork(query: Kysely<Tables>, ids: readonly string[]): Promise<readonly WorkRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<WorkRow>`
    SELECT id, "accountId", problem, length(answer) AS "answerBytes", progress,
      state = 'queued' AND progress IS NULL AND EXISTS (
        SELECT FROM predictions WHERE state = 'queued' AND progress IS NOT NULL
      ) AS "behindOthers"
    FROM predictions
    WHERE id = ANY(${ids})`.execute(query);
  return rows;
}

/** Does nothing once the job has ended; otherwise notifies those that follow it. @param progress JSON */
export async function writeProgress(query: Kysely<Tables>, id: string, progress: string | null): Promise<void> {
  await sql`
    WITH changed AS (
      UPDATE predictions SET progress = ${progress} WHERE id = ${id} AND state = 'queued' RETURNING id
    )
    SELECT pg_notify(${CHANGED_CHANNEL}, id) FROM changed`.execute(query);
}

/** All predictions without an answer. */
export const readQueued = (query: Kysely<Tables>): Promise<readonly Enqueued[]> =>
  query.selectFrom('predictions').select(['id', 'accountId', 'network', 'bytes']).where('state', '=', 'queued').execute();

/** How many jobs wait. */
export async function countWaiting(query: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    SELECT count(*) AS waiting FROM predictions WHERE state = 'queued' AND progress IS NULL`.execute(query);
  return rows[0]?.waiting ?? 0;
}
