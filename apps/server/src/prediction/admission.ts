import { HttpProblem } from '../http/http-problem.ts';

/** A place for a recording: taken before its body is read, left when its answer is known or nobody waits for it any more. */
export interface Seat {
  leave(): void;
}

/** Who takes a seat. */
export interface Sitter {
  /** null when nobody is signed in */
  readonly accountId: string | null;
  /** of the client's address: see `networkOf` */
  readonly network: string;
}

/** Decides how many recordings are received, wait and are listened to at once. */
export interface Admission {
  /** @throws HttpProblem SERVER_BUSY when everything is taken, or all that one account, or one address without accounts, may take */
  takeSeat(sitter: Sitter): Seat;
  /** For work that was accepted by an earlier run of the server: there is always room for it. It counts as its account's. */
  takeSeatAnyway(accountId: string | null): Seat;
  /** A job has taken so long: people are told when it is worth coming again. */
  noteJob(seconds: number): void;
  /** @throws HttpProblem SERVER_BUSY from now on; seats that are taken stay */
  close(): void;
}

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;
/** However small the pool is, somebody may send a few recordings at once. */
const LEAST_SHARE = 4;
/** An account is one person. */
const ACCOUNT_SHARE = 1 / 4;
/** Behind one address may sit a school class, or everybody, when the server is not told of its proxy. */
const NETWORK_SHARE = 1 / 2;

/**
 * @param running jobs that are done at once
 * @param waiting jobs that may wait besides
 */
export function createAdmission({ running, waiting }: { running: number; waiting: number }): Admission {
  const seats = running + waiting;
  const shares = {
    account: Math.max(LEAST_SHARE, Math.floor(seats * ACCOUNT_SHARE)),
    network: Math.max(LEAST_SHARE, Math.floor(seats * NETWORK_SHARE)),
  };
  let taken = 0;
  /** By whom; only those who have any. */
  const takenBy = new Map<string, number>();
  let closed = false;
  /** Moving average of how long a job takes. */
  let jobSeconds = MIN_RETRY_SECONDS;

  function take(owner: string | null): Seat {
    taken += 1;
    const count = (change: number): void => {
      if (owner === null) return;
      const left = (takenBy.get(owner) ?? 0) + change;
      if (left === 0) takenBy.delete(owner);
      else takenBy.set(owner, left);
    };
    count(1);
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        taken -= 1;
        count(-1);
      },
    };
  }

  function retryAfter(seatsBefore: number): number {
    const turnsAhead = Math.max(seatsBefore, running) / running;
    return Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * turnsAhead)));
  }

  return {
    takeSeat({ accountId, network }) {
      if (closed || taken >= seats) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(taken) });
      const by = accountId === null ? 'network' : 'account';
      const owner = `${by} ${accountId ?? network}`;
      const own = takenBy.get(owner) ?? 0;
      if (own >= shares[by]) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: retryAfter(own), by });
      return take(owner);
    },
    takeSeatAnyway: (accountId) => take(accountId === null ? null : `account ${accountId}`),
    noteJob(seconds) {
      jobSeconds += (seconds - jobSeconds) / 8;
    },
    close() {
      closed = true;
    },
  };
}
