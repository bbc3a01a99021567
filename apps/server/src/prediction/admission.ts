import { HttpProblem } from '../http/http-problem.ts';

/** A place for a recording: taken before its body is read, left when its answer is known or nobody waits for it any more. */
export interface Seat {
  leave(): void;
}

/** Decides how many recordings are received, wait and are listened to at once. */
export interface Admission {
  /** @throws HttpProblem SERVER_BUSY when everything is taken */
  takeSeat(): Seat;
  /** For work that was accepted by an earlier run of the server: there is always room for it. */
  takeSeatAnyway(): Seat;
  /** A job has taken so long: people are told when it is worth coming again. */
  noteJob(seconds: number): void;
  /** @throws HttpProblem SERVER_BUSY from now on; seats that are taken stay */
  close(): void;
}

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 120;

/**
 * @param running jobs that are done at once
 * @param waiting jobs that may wait besides
 */
export function createAdmission({ running, waiting }: { running: number; waiting: number }): Admission {
  let taken = 0;
  let closed = false;
  /** Moving average of how long a job takes. */
  let jobSeconds = MIN_RETRY_SECONDS;

  function takeSeatAnyway(): Seat {
    taken += 1;
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        taken -= 1;
      },
    };
  }

  return {
    takeSeat() {
      if (closed || taken >= running + waiting) {
        const turnsAhead = Math.max(taken, running) / running;
        const seconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, jobSeconds * turnsAhead)));
        throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: seconds });
      }
      return takeSeatAnyway();
    },
    takeSeatAnyway,
    noteJob(seconds) {
      jobSeconds += (seconds - jobSeconds) / 8;
    },
    close() {
      closed = true;
    },
  };
}
