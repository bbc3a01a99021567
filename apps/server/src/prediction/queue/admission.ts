import { HttpProblem } from '../../http/http-problem.ts';
import { createTally, type Owner, ownersOf, type Sender } from '../incoming/owners.ts';

/** A place in the queue: taken when a recording has arrived, released when its answer is known or the job is removed. */
export interface Permit {
  release(): void;
}

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;
/** However small the pool is, one sender may send a few recordings at once. */
const LEAST_SHARE = 4;
/** An account is one person. */
const ACCOUNT_SHARE = 1 / 4;
/** Behind one address may sit a school class, or all clients, when the server is not told of its proxy; or one person with many accounts. */
const NETWORK_SHARE = 3 / 4;

/** What is waiting and being analysed. */
export interface Load {
  /** jobs that are done at once */
  readonly running: number;
  /** jobs that may wait besides */
  readonly waiting: number;
  /** how long a job takes */
  readonly jobSeconds: number;
  /** jobs within their sender's share */
  readonly taken: number;
  readonly isClosed: boolean;
  /** jobs of one of the senders */
  of(owner: Owner): number;
}

/** How many jobs one sender may have, of so many. */
export const sharesOf = (permits: number) => ({
  account: Math.max(LEAST_SHARE, Math.floor(permits * ACCOUNT_SHARE)),
  network: Math.max(LEAST_SHARE, Math.floor(permits * NETWORK_SHARE)),
});

/** @throws HttpProblem SERVER_BUSY when everything is taken, or all that one account or one network may take */
export function checkRoom({ running, waiting, jobSeconds, taken, isClosed, of }: Load, owners: readonly Owner[]): void {
  const permits = running + waiting;
  const shares = sharesOf(permits);
  const retryAfter = (permitsBefore: number): number => {
    const roundsAhead = Math.max(permitsBefore, running) / Math.max(running, 1);
    return Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * roundsAhead)));
  };
  if (isClosed || taken >= permits) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(taken) });
  for (const owner of owners) {
    const own = of(owner);
    if (own >= shares[owner.by]) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(own), by: owner.by });
  }
}

export const FIRST_JOB_SECONDS = MIN_RETRY_SECONDS;

/** Moving average of how long a job takes: people are told when it is worth coming again. */
export function createJobTime() {
  let seconds = FIRST_JOB_SECONDS;
  return {
    get seconds() {
      return seconds;
    },
    /** A job has taken so long. */
    note(jobSeconds: number): void {
      seconds += (jobSeconds - seconds) / 8;
    },
  };
}

/**
 * Decides how many recordings wait and are analysed at once, on one machine.
 *
 * @param running jobs that are done at once
 * @param waiting jobs that may wait besides
 */
export function createAdmission({ running, waiting }: { running: number; waiting: number }) {
  const shares = sharesOf(running + waiting);
  const jobTime = createJobTime();
  const tally = createTally();
  /** Permits within their sender's share. */
  let taken = 0;
  let isClosed = false;

  return {
    /**
     * To be asked before a body is read.
     *
     * @throws HttpProblem SERVER_BUSY when everything is taken, or all that one account or one network may take
     */
    check(sender: Sender): void {
      checkRoom({ running, waiting, jobSeconds: jobTime.seconds, taken, isClosed, of: tally.of }, ownersOf(sender));
    },
    /**
     * There is always room for a recording that has arrived, or that an earlier run of the server has accepted. How many these can be is
     * bounded by how many arrive at once. Beyond its sender's share it takes none of the room of others.
     */
    take(sender: Sender): Permit {
      const owners = ownersOf(sender);
      const isWithinShares = owners.every((owner) => tally.of(owner) < shares[owner.by]);
      const takeOff = tally.add(owners);
      if (isWithinShares) taken += 1;
      let released = false;
      return {
        release() {
          if (released) return;
          released = true;
          takeOff();
          if (isWithinShares) taken -= 1;
        },
      };
    },
    noteJob: jobTime.note,
    /** @throws HttpProblem SERVER_BUSY from every `check` from now on */
    close(): void {
      isClosed = true;
    },
  };
}
