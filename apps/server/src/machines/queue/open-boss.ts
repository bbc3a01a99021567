import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import { type Job as BossJob, fromKysely, PgBoss } from 'pg-boss';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { explainPostgres } from '../../database/postgres/postgres-error.ts';
import type { Tables } from '../../database/tables.ts';
import { takerOf } from '../../prediction/queue/turns.ts';
import { BOSS_SCHEMA, type Enqueued, QUEUE } from './work-rows.ts';

/** A job as one worker holds it. Calls with the claim have no effect once another worker has taken the job. */
export type Claim = Pick<BossJob, 'id' | 'retryCount'>;

export interface BossOptions {
  readonly database: PostgresDatabase;
  readonly log: FastifyBaseLogger;
  /** Whether this machine looks for jobs whose workers have died. */
  readonly supervises: boolean;
  /** how often a job is retried after its worker has died; for tests */
  readonly retryLimit?: number | undefined;
}

export type Boss = Awaited<ReturnType<typeof openBoss>>;

const ABANDONED = 'abandoned-predictions';
/** A worker without a heartbeat for this long loses its jobs. pg-boss accepts no less than 10. */
export const HEARTBEAT_SECONDS = 10;
/** How often pg-boss looks for such workers. */
const SUPERVISE_SECONDS = 3;
/** Longer than the longest recording takes on the slowest worker. The analysis itself detects one that hangs. */
const EXPIRE_SECONDS = 43_200;
/** A job is not to blame when its machine is stopped or killed. Only a job that takes down one machine after another is given up. */
const RETRY_LIMIT = 1000;
const RETRY_DELAY_SECONDS = 1;
const LONGEST_RETRY_DELAY_SECONDS = 4;
/** Waiting jobs do not expire in practice. */
const RETENTION_SECONDS = 365 * 86_400;
/** For maintenance that hardly matters here: jobs are deleted, never completed, and there are no chains of jobs. */
const RARELY_SECONDS = 600;

/** Creates pg-boss in the database of the rows, without starting it. Processes that start it concurrently install it once. */
export function createPgBoss(
  { database: { pool }, log }: Pick<BossOptions, 'database' | 'log'>,
  does: { readonly schedule: boolean; readonly supervise: boolean },
): PgBoss {
  const boss = new PgBoss({
    db: {
      executeSql: (text, values) =>
        pool.query(text, values).catch((error: unknown) => {
          throw explainPostgres(error);
        }),
    },
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
    // A queue that exists would keep its settings.
    await boss.updateQueue(name, options);
    // Fills pg-boss's cache of queues. Inside a transaction that would need a second connection: a deadlock once all connections are in
    // transactions.
    await boss.findJobs(name, { key: name });
  }

  /** Call this in the transaction that stores the prediction, so that neither exists without the other. Skips jobs that exist. */
  async function enqueue(jobs: readonly Enqueued[], query: Kysely<Tables>): Promise<void> {
    const inserted = jobs.map((job) => ({ id: job.id, data: { predictionId: job.id }, group: { id: takerOf(job) } }));
    await boss.insert(QUEUE, inserted, { db: fromKysely(query) });
  }

  /** Call this in the transaction that ends the job. @returns false when this worker no longer has it */
  async function finish(claim: Claim, query: Kysely<Tables>): Promise<boolean> {
    return touchedBy(await boss.deleteJob(QUEUE, claim, { db: fromKysely(query) })).length === 1;
  }

  return {
    enqueue,
    finish,

    /** Takes the job that has waited longest, except those of the given takers. */
    async claim(butOf: readonly string[]): Promise<Claim | null> {
      const [job] = await boss.fetch(QUEUE, butOf.length > 0 ? { ignoreGroups: [...butOf] } : {});
      return job === undefined ? null : { id: job.id, retryCount: job.retryCount };
    },

    /** Sends the heartbeat of these jobs. @returns ids of those that this worker still has */
    async keep(claims: readonly Claim[]): Promise<ReadonlySet<string>> {
      return new Set(touchedBy(await boss.touch(QUEUE, [...claims])));
    },

    /** Puts a job that gave way at the end of the queue, without counting a failure. Does nothing if another worker has it. */
    async requeue(claim: Claim, job: Enqueued): Promise<void> {
      await database.change({ patient: true, ownRows: true }, async (transaction) => {
        if (await finish(claim, transaction)) await enqueue([job], transaction);
      });
    },

    /** Returns a job so that another worker soon takes it. */
    async handBack(claim: Claim): Promise<void> {
      await boss.fail(QUEUE, claim);
    },

    /** Removes a job, even one that a worker has. */
    async remove(id: string, query?: Kysely<Tables>): Promise<void> {
      await boss.deleteJob(QUEUE, id, query === undefined ? {} : { db: fromKysely(query) });
    },

    /** Calls `give` with each prediction whose job was given up, and removes the job once that has succeeded. */
    async takeAbandoned(give: (predictionId: string) => Promise<void>): Promise<void> {
      for (const { id, data } of await boss.fetch<{ predictionId: string }>(ABANDONED, { batchSize: 10 })) {
        await give(data.predictionId);
        await boss.deleteJob(ABANDONED, id);
      }
    },

    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** pg-boss returns which jobs a statement affected, but its types do not say so. */
function touchedBy(response: object): readonly string[] {
  return 'settled' in response && Array.isArray(response.settled) ? response.settled : [];
}
