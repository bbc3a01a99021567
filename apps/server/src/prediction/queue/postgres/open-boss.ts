import type { FastifyBaseLogger } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { type Job as BossJob, fromKysely, PgBoss } from 'pg-boss';
import type { PostgresDatabase } from '../../../database/postgres/open-postgres.ts';
import type { Tables } from '../../../database/tables.ts';
import type { Job } from '../job.ts';
import { type Lane, laneOf } from '../slots.ts';

/** A job as one worker has it: what it does with a claim fails once another worker has taken the job up. */
export type Claim = Pick<BossJob, 'id' | 'retryCount'>;

export interface BossOptions {
  readonly database: PostgresDatabase;
  readonly log: FastifyBaseLogger;
  /** Whether this machine looks for jobs whose workers are gone. */
  readonly supervises: boolean;
  /** so often a job is taken up again after its worker has gone; for tests */
  readonly retryLimit?: number | undefined;
}

export type Boss = Awaited<ReturnType<typeof openBoss>>;

/** The schema that pg-boss makes and brings forwards by itself. */
export const BOSS_SCHEMA = 'pgboss';
export const QUEUE = 'predictions';
const ABANDONED = 'abandoned-predictions';
/** pg-boss knows lanes as priorities. */
const PRIORITIES: Readonly<Record<Lane, number>> = { short: 1, long: 0 };
/** A worker that is not heard of for so long has lost its jobs. pg-boss takes no less than ten. */
export const HEARTBEAT_SECONDS = 10;
/** How often such workers are looked for. */
const SUPERVISE_SECONDS = 3;
/** Longer than the longest recording takes on the slowest worker; one that hangs is noticed by the analysis. */
const EXPIRE_SECONDS = 43_200;
/** A machine that is stopped or killed is no fault of its jobs: only a job that takes down one machine after another is given up. */
const RETRY_LIMIT = 1000;
const RETRY_DELAY_SECONDS = 1;
const LONGEST_RETRY_DELAY_SECONDS = 4;
/** What waits is never too old. */
const RETENTION_SECONDS = 365 * 86_400;
/** No job of a recording is completed, all are deleted; there are no chains of jobs. What pg-boss would do for them is rare. */
const RARELY_SECONDS = 600;

/** pg-boss in the database of the rows, not started yet. Processes that start it together install it once. */
export function createPgBoss(
  { database: { pool }, log }: Pick<BossOptions, 'database' | 'log'>,
  does: { readonly schedule: boolean; readonly supervise: boolean },
): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema: BOSS_SCHEMA,
    ...does,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    flowIntervalSeconds: RARELY_SECONDS,
    bamIntervalSeconds: RARELY_SECONDS,
    queueCacheIntervalSeconds: RARELY_SECONDS,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'pg-boss could not do its maintenance; it will try again'));
  boss.on('warning', ({ message, data }) => log.warn({ data }, message));
  return boss;
}

/** Opens the queue. */
export async function openBoss({ database, log, supervises, retryLimit = RETRY_LIMIT }: BossOptions) {
  const boss = createPgBoss({ database, log }, { schedule: false, supervise: supervises });
  await boss.start();
  const kept = { expireInSeconds: EXPIRE_SECONDS, retentionSeconds: RETENTION_SECONDS };
  const retried = {
    retryLimit,
    retryBackoff: true,
    retryDelay: RETRY_DELAY_SECONDS,
    retryDelayMax: LONGEST_RETRY_DELAY_SECONDS,
  };
  const queues = [
    { name: ABANDONED, ...kept },
    { name: QUEUE, ...kept, ...retried, heartbeatSeconds: HEARTBEAT_SECONDS, deadLetter: ABANDONED },
  ];
  for (const { name, ...options } of queues) {
    await boss.createQueue(name, options);
    // One of an earlier version keeps its figures otherwise.
    await boss.updateQueue(name, options);
    // What is known of it is read now: within a transaction it would need a second connection, for which all could wait that have one.
    await boss.findJobs(name, { key: name });
  }

  type Enqueued = Pick<Job, 'id' | 'accountId' | 'bytes'>;

  /** Within the transaction that stores the prediction, so that there is never one without the other. */
  async function enqueue(job: Enqueued, query: Kysely<Tables>, lane = laneOf(job)): Promise<void> {
    const { id, accountId } = job;
    const group = accountId === null ? {} : { group: { id: accountId } };
    await boss.send(QUEUE, { predictionId: id }, { id, priority: PRIORITIES[lane], ...group, db: fromKysely(query) });
  }

  /** Within the transaction that ends the job. @returns false when it is not this worker's any more */
  async function finish(claim: Claim, query: Kysely<Tables>): Promise<boolean> {
    return touchedBy(await boss.deleteJob(QUEUE, claim, { db: fromKysely(query) })).length === 1;
  }

  return {
    enqueue,
    finish,

    /** Takes the job that has waited longest, but for those of some accounts. */
    async claim(lane: Lane, butOf: readonly string[]): Promise<(Claim & { readonly accountId: string | null }) | null> {
      const ignoreGroups = butOf.length > 0 ? { ignoreGroups: [...butOf] } : {};
      const priority = PRIORITIES[lane];
      const [job] = await boss.fetch(QUEUE, { minPriority: priority, maxPriority: priority, ...ignoreGroups });
      return job === undefined ? null : { id: job.id, retryCount: job.retryCount, accountId: job.groupId ?? null };
    },

    /** Tells that this worker is there. @returns ids of those that are still its own */
    async keep(claims: readonly Claim[]): Promise<ReadonlySet<string>> {
      return new Set(touchedBy(await boss.touch(QUEUE, [...claims])));
    },

    /** Lets it wait anew, last in its lane: it gave way, which is no fault that counts. Does nothing to one that another worker has. */
    async requeue(claim: Claim, job: Enqueued, lane: Lane): Promise<void> {
      await database.change({ patient: true }, async (transaction) => {
        if (await finish(claim, transaction)) await enqueue(job, transaction, lane);
      });
    },

    /** Lets another worker take it up, soon. */
    async handBack(claim: Claim): Promise<void> {
      await boss.fail(QUEUE, claim);
    },

    /** Removes a job, also one that a worker has. */
    async remove(id: string, query?: Kysely<Tables>): Promise<void> {
      await boss.deleteJob(QUEUE, id, query === undefined ? {} : { db: fromKysely(query) });
    },

    /** Hands over the predictions whose jobs are given up, each until that has succeeded. */
    async takeAbandoned(give: (predictionId: string) => Promise<void>): Promise<void> {
      for (const { id, data } of await boss.fetch<{ predictionId: string }>(ABANDONED, { batchSize: 10 })) {
        await give(data.predictionId);
        await boss.deleteJob(ABANDONED, id);
      }
    },

    /** Predictions that wait without a job, since before that moment. */
    async withoutJob(beforeMs: number): Promise<readonly Enqueued[]> {
      const { rows } = await sql<Enqueued>`
        SELECT id, "accountId", bytes FROM predictions
        WHERE state = 'queued' AND "createdAtMs" < ${beforeMs}
          AND NOT EXISTS (
            SELECT FROM ${sql.table(`${BOSS_SCHEMA}.job`)} AS job WHERE job.name = ${QUEUE} AND job.id = predictions.id::uuid
          )`.execute(database.query);
      return rows;
    },

    /** How many jobs wait, and for how long the first one has. */
    async count(): Promise<{ readonly waiting: number; readonly waitingSeconds: number }> {
      const { rows } = await sql<{ waiting: number; waitingSeconds: number }>`
        SELECT count(*) AS waiting, coalesce(extract(epoch FROM now() - min(created_on)), 0)::float8 AS "waitingSeconds"
        FROM ${sql.table(`${BOSS_SCHEMA}.job`)}
        WHERE name = ${QUEUE} AND state < 'active'`.execute(database.query);
      return rows[0] ?? { waiting: 0, waitingSeconds: 0 };
    },

    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** pg-boss says which jobs a statement has met, but not in its types. */
function touchedBy(response: object): readonly string[] {
  return 'settled' in response && Array.isArray(response.settled) ? response.settled : [];
}
