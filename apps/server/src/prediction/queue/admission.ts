import { HttpProblem } from '../../http/http-problem.ts';
import { type Counted, createTally, EVERYONE, type Owner, ownersOf, type Sender } from '../incoming/owners.ts';

/** Room in the queue: taken when a recording has arrived, released when it is answered or the job is removed. */
export interface Permit {
  release(): void;
}

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;
/** However small the queue is, one sender may send a few recordings at once. */
const LEAST_SHARE = 4;
/** An account is one person. */
const ACCOUNT_SHARE = 1 / 4;
/** An address may stand for a school class, for all clients if the server does not know its proxy, or for one person with many accounts. */
const NETWORK_SHARE = 3 / 4;

/** The jobs that wait or run. */
export interface Load {
  /** jobs that run concurrently */
  readonly running: number;
  /** jobs that may wait besides */
  readonly waiting: number;
  /** seconds that a job takes */
  readonly jobSeconds: number;
  readonly isClosed: boolean;
  /** jobs of an owner; of everyone, only those within their sender's share */
  of(owner: Counted): number;
}

/** How many of these permits everyone may have, and how many of them one sender. */
export const sharesOf = (permits: number) => ({
  everyone: permits,
  account: Math.max(LEAST_SHARE, Math.floor(permits * ACCOUNT_SHARE)),
  network: Math.max(LEAST_SHARE, Math.floor(permits * NETWORK_SHARE)),
});

/** @throws HttpProblem SERVER_BUSY when the queue is full, or the account or network has its full share of it */
export function checkRoom({ running, waiting, jobSeconds, isClosed, of }: Load, owners: readonly Owner[]): void {
  const shares = sharesOf(running + waiting);
  for (const owner of [EVERYONE, ...owners]) {
    const { by } = owner;
    const jobs = of(owner);
    if (jobs < shares[by] && !isClosed) continue;
    const roundsAhead = Math.max(jobs, running) / Math.max(running, 1);
    const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * roundsAhead));
    throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: Math.ceil(seconds), ...(by !== 'everyone' && { by }) });
  }
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

/**
 * Decides how many recordings may wait and be analysed, on a single machine.
 *
 * @param running jobs that run concurrently
 * @param waiting jobs that may wait besides
 */
export function createAdmission({ running, waiting }: { running: number; waiting: number }) {
  const shares = sharesOf(running + waiting);
  const jobTime = createJobTime();
  const tally = createTally();
  let isClosed = false;

  return {
    /**
     * Call this before a body is read.
     *
     * @throws HttpProblem SERVER_BUSY when the queue is full, or the account or network has its full share of it
     */
    check(sender: Sender): void {
      checkRoom({ running, waiting, jobSeconds: jobTime.seconds, isClosed, of: tally.of }, ownersOf(sender));
    },
    /**
     * Takes a permit, even in a full queue: the recording has arrived, or an earlier run of the server accepted it. How many of these there
     * can be is limited by how many arrive at once. A permit beyond the sender's share does not use up the room of others.
     */
    take(sender: Sender): Permit {
      const owners = ownersOf(sender);
      const isWithinShares = owners.every((owner) => tally.of(owner) < shares[owner.by]);
      const countedFor = isWithinShares ? [EVERYONE, ...owners] : owners;
      tally.add(countedFor);
      return { release: () => tally.remove(countedFor) };
    },
    noteJob: jobTime.note,
    /** @throws HttpProblem SERVER_BUSY from every `check` from now on */
    close(): void {
      isClosed = true;
    },
  };
}
