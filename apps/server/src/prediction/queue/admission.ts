import type { Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import { HttpProblem } from '../../http/http-problem.ts';
import { EVERYONE, ownersOf, type Sender } from '../incoming/owners.ts';

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;
/** However small the queue is, one sender may send a few recordings at once. */
const LEAST_SHARE = 4;
/** An account is one person. */
const ACCOUNT_SHARE = 1 / 4;
/** An address may stand for a school class, for all clients if the server does not know its proxy, or for one person with many accounts. */
const NETWORK_SHARE = 3 / 4;

/** What analyses recordings: this process, or all workers. */
export interface Workers {
  /** jobs that run concurrently */
  readonly places: number;
  /** seconds that a job takes */
  readonly jobSeconds: number;
}

export const FIRST_JOB_SECONDS = MIN_RETRY_SECONDS;

/** Moving average of the seconds per job, from which clients learn when to retry. */
export function createJobTime() {
  let seconds = FIRST_JOB_SECONDS;
  return {
    get seconds() {
      return seconds;
    },
    /** Records how long a job took. */
    note(jobSeconds: number): void {
      seconds += (jobSeconds - seconds) / 8;
    },
  };
}

export interface AdmissionOptions {
  readonly query: Kysely<Tables>;
  /** jobs that may wait besides those that run */
  readonly waiting: number;
  readonly workers: () => Workers | Promise<Workers>;
}

/**
 * Decides who may send: how many recordings may wait and be analysed, in total, of one account and of one network. It counts the rows without
 * an answer, so a recording that has arrived counts on whichever machine, and after a restart.
 */
export function createAdmission({ query, waiting, workers }: AdmissionOptions) {
  let isClosed = false;

  /** Jobs beyond their sender's share do not use up the room of others. */
  async function countJobs({ accountId, network }: Sender, shares: { readonly account: number; readonly network: number }) {
    const groups = await query
      .selectFrom('predictions')
      .select(({ fn }) => ['accountId', 'network', fn.countAll<number>().as('jobs')])
      .where('state', '=', 'queued')
      .groupBy(['accountId', 'network'])
      .execute();
    const sum = (counted: typeof groups): number => counted.reduce((total, { jobs }) => total + Number(jobs), 0);
    const ofNetworks = new Map<string | null, number>();
    for (const group of groups) {
      const jobs = group.accountId === null ? Number(group.jobs) : Math.min(Number(group.jobs), shares.account);
      ofNetworks.set(group.network, (ofNetworks.get(group.network) ?? 0) + jobs);
    }
    const within = [...ofNetworks].map(([key, jobs]) => (key === null ? jobs : Math.min(jobs, shares.network)));
    return {
      everyone: within.reduce((total, jobs) => total + jobs, 0),
      account: sum(groups.filter((group) => group.accountId === accountId)),
      network: sum(groups.filter((group) => group.network === network)),
    };
  }

  return {
    /**
     * Call this before a body is read.
     *
     * @throws HttpProblem SERVER_BUSY when the queue is full, or the account or network has its full share of it
     * @throws DatabaseError
     */
    async check(sender: Sender): Promise<void> {
      const { places, jobSeconds } = await workers();
      const permits = places + waiting;
      const shares = {
        everyone: permits,
        account: Math.max(LEAST_SHARE, Math.floor(permits * ACCOUNT_SHARE)),
        network: Math.max(LEAST_SHARE, Math.floor(permits * NETWORK_SHARE)),
      };
      const jobs = await countJobs(sender, shares);
      for (const { by } of [EVERYONE, ...ownersOf(sender)]) {
        if (jobs[by] < shares[by] && !isClosed) continue;
        const roundsAhead = Math.max(jobs[by], places) / Math.max(places, 1);
        const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * roundsAhead));
        throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: Math.ceil(seconds), ...(by !== 'everyone' && { by }) });
      }
    },
    /** @throws HttpProblem SERVER_BUSY from every `check` from now on */
    close(): void {
      isClosed = true;
    },
  };
}
