/**
 * How the people of a trial make requests: of a random machine each time, again while it is busy, and, when connections may break, again
 * until a machine gives a definite response.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, codeOf, isConnectionLost } from '../../harness/api.ts';
import type { Chance } from '../../harness/random.ts';
import type { Ledger } from './ledger.ts';

export interface Asker {
  readonly origins: readonly string[];
  readonly chance: Chance;
  readonly ledger: Ledger;
  /** What it does when a connection breaks, or a response takes too long: ask another machine, or throw the error. */
  readonly onBreak: 'askAgain' | 'throw';
  /** Milliseconds until it does so; 20 s when absent. */
  readonly patienceMs?: number;
}

/** Only a fault makes a request take longer; then another machine is asked. */
const PATIENCE_MS = 20_000;
/** After this long without a response, there will never be one. */
const GIVEN_UP_MS = 180_000;
const AGAIN_AFTER_MS = 250;
/** People return sooner than `Retry-After` says, to find out how soon a server is back. */
const LONGEST_WAIT_S = 2;

/**
 * @param once sends the request to one machine
 * @returns the first response other than SERVER_BUSY and, when it asks again, UPLOAD_TIMEOUT
 * @throws Error when there is none for minutes
 */
export async function askAgain<Given extends Answer>(
  { origins, chance, onBreak, patienceMs = PATIENCE_MS, ledger: { counts } }: Asker,
  once: (origin: string, signal: AbortSignal) => Promise<Given>,
): Promise<Given> {
  const giveUpAt = performance.now() + GIVEN_UP_MS;
  const isPatient = onBreak === 'askAgain';
  let last = 'nothing';
  while (performance.now() < giveUpAt) {
    const origin = chance.pick(origins) ?? '';
    try {
      const answer = await once(origin, AbortSignal.timeout(isPatient ? patienceMs : GIVEN_UP_MS));
      last = codeOf(answer);
      const retryAfter = Number(answer.headers.get('retry-after'));
      // A response to HEAD has no body, and one of the identity service has no code.
      const isBusy = answer.status === 503 && [undefined, 'SERVER_BUSY'].includes(answer.body.code);
      if (isBusy && retryAfter > 0) {
        counts.busy += 1;
        await delay(1000 * Math.min(LONGEST_WAIT_S, retryAfter));
      } else if (isPatient && answer.body.code === 'UPLOAD_TIMEOUT') counts.broken += 1;
      else return answer;
    } catch (error) {
      if (!isLost(error) || !isPatient) throw error;
      last = `${error} ${error instanceof Error ? (error.cause ?? '') : ''} at ${origin}`;
      counts.broken += 1;
      await delay(AGAIN_AFTER_MS);
    }
  }
  throw new Error(`No answer in ${GIVEN_UP_MS / 1000} s; the last was ${last}`);
}

/** Whether the connection broke, or no response came in time. */
export const isLost = (error: unknown): boolean =>
  isConnectionLost(error) || (error instanceof DOMException && error.name === 'TimeoutError');
