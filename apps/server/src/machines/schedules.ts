import type { FastifyBaseLogger } from 'fastify';
import type { PostgresDatabase } from '../database/postgres/open-postgres.ts';
import type { Chore } from '../parts/machines.ts';
import { createPgBoss } from './queue/open-boss.ts';

export interface SchedulesOptions {
  readonly database: PostgresDatabase;
  readonly log: FastifyBaseLogger;
  readonly chores: readonly Omit<Chore, 'everyMs'>[];
  readonly onError: (name: string, error: unknown) => void;
  /** interval between checks for chores that are due; for tests */
  readonly lookEverySeconds?: number;
}

const LOOK_EVERY_SECONDS = 10;
/** How long a chore stays blocked if the machine that started it dies. */
const EXPIRE_SECONDS = 600;
const KEPT_SECONDS = 3600;

/** Runs the chores of several machines: each runs when it is due, on whichever machine comes first. */
export async function openSchedules({ database, log, chores, onError, lookEverySeconds = LOOK_EVERY_SECONDS }: SchedulesOptions) {
  const boss = createPgBoss({ database, log }, { schedule: true, supervise: false });
  await boss.start();
  const kept = { expireInSeconds: EXPIRE_SECONDS, deleteAfterSeconds: KEPT_SECONDS, retentionSeconds: KEPT_SECONDS };
  for (const { name, cron, work } of chores) {
    await boss.createQueue(name, { policy: 'exclusive', retryLimit: 0, ...kept });
    await boss.schedule(name, cron);
    await boss.work(name, { pollingIntervalSeconds: lookEverySeconds }, async () => {
      await work().catch((error: unknown) => onError(name, error));
    });
  }
  return {
    /** Runs a chore at the next check of any machine. */
    runSoon: (name: string): Promise<unknown> => boss.send(name),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}
