import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { ownersOf, type Sender } from '../incoming/owners.ts';
import { checkRoom, sharesOf } from './admission.ts';
import { readWorkers } from './machine-register.ts';

export interface SharedAdmissionOptions {
  readonly database: Pick<Database, 'query'>;
  /** jobs that may wait besides those that all workers run */
  readonly waiting: number;
}

/** Applies the admission rules of one machine to the jobs of all machines: the rows without an answer. */
export function createSharedAdmission({ database, waiting }: SharedAdmissionOptions) {
  let isClosed = false;

  /** Jobs beyond their sender's share do not use up the room of others. */
  async function countJobs(shares: ReturnType<typeof sharesOf>, { accountId, network }: Sender) {
    const { rows } = await sql<{ readonly taken: number; readonly ofAccount: number; readonly ofNetwork: number }>`
      SELECT count(*) FILTER (
          WHERE ("accountId" IS NULL OR "byAccount" <= ${shares.account}) AND (network IS NULL OR "byNetwork" <= ${shares.network})
        ) AS taken,
        count(*) FILTER (WHERE "accountId" = ${accountId}) AS "ofAccount",
        count(*) FILTER (WHERE network = ${network}) AS "ofNetwork"
      FROM (
        SELECT "accountId", network,
          row_number() OVER (PARTITION BY "accountId" ORDER BY "createdAtMs") AS "byAccount",
          row_number() OVER (PARTITION BY network ORDER BY "createdAtMs") AS "byNetwork"
        FROM predictions WHERE state = 'queued'
      ) AS jobs`.execute(database.query);
    return rows[0] ?? { taken: 0, ofAccount: 0, ofNetwork: 0 };
  }

  return {
    /**
     * Call this before a body is read.
     *
     * @throws HttpProblem SERVER_BUSY when the queue is full, or the account or network has its full share of it
     * @throws DatabaseError
     */
    async check(sender: Sender): Promise<void> {
      const { places: running, jobSeconds } = await readWorkers(database.query);
      const { taken, ofAccount, ofNetwork } = await countJobs(sharesOf(running + waiting), sender);
      const jobs = { everyone: taken, account: ofAccount, network: ofNetwork };
      checkRoom({ running, waiting, jobSeconds, isClosed, of: ({ by }) => jobs[by] }, ownersOf(sender));
    },
    /** @throws HttpProblem SERVER_BUSY from every `check` from now on */
    close(): void {
      isClosed = true;
    },
  };
}
