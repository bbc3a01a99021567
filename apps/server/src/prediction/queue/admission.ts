import { HttpProblem } from '../../http/http-problem.ts';
import { createTally, ownersOf, type Sender } from '../incoming/owners.ts';

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

/**
 * Decides how many recordings wait and are analysed at once.
 *
 * @param running jobs that are done at once
 * @param waiting jobs that may wait besides
 */
export function createAdmission({ running, waiting }: { running: number; waiting: number }) {
  const permits = running + waiting;
  const shares = {
    account: Math.max(LEAST_SHARE, Math.floor(permits * ACCOUNT_SHARE)),
    network: Math.max(LEAST_SHARE, Math.floor(permits * NETWORK_SHARE)),
  };
  const tally = createTally();
  /** Permits within their sender's share. */
  let taken = 0;
  let closed = false;
  /** Moving average of how long a job takes. */
  let jobSeconds = MIN_RETRY_SECONDS;

  function retryAfter(permitsBefore: number): number {
    const roundsAhead = Math.max(permitsBefore, running) / running;
    return Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * roundsAhead)));
  }

  return {
    /**
     * To be asked before a body is read.
     *
     * @throws HttpProblem SERVER_BUSY when everything is taken, or all that one account or one network may take
     */
    check(sender: Sender): void {
      if (closed || taken >= permits) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(taken) });
      for (const owner of ownersOf(sender)) {
        const own = tally.of(owner);
        if (own >= shares[owner.by]) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(own), by: owner.by });
      }
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
    /** A job has taken so long: people are told when it is worth coming again. */
    noteJob(seconds: number): void {
      jobSeconds += (seconds - jobSeconds) / 8;
    },
    /** @throws HttpProblem SERVER_BUSY from every `check` from now on */
    close(): void {
      closed = true;
    },
  };
}
