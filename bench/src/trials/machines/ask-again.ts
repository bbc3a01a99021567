import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, codeOf, isConnectionLost } from '../../harness/api.ts';
import type { Chance } from '../../harness/random.ts';

/** A client that does not give up: it tries a random machine each time, until one gives a definite response. */
export interface Asker {
  readonly origins: readonly string[];
  readonly chance: Chance;
  /** Whether connections may break and requests go unanswered; otherwise either throws. */
  readonly mayBreak: boolean;
  readonly counts: { busy: number; broken: number };
}

/** Only a fault makes a request take longer; then the client retries. */
const PATIENCE_MS = 20_000;
/** After this long without a response, there will never be one. */
const GIVEN_UP_MS = 180_000;
const AGAIN_AFTER_MS = 250;
/** Clients return sooner than `Retry-After` says, to find out how soon a server is back. */
const LONGEST_WAIT_S = 2;

/**
 * @param once sends the request to one machine
 * @param isOver whether a response is no longer needed
 * @returns the first response other than SERVER_BUSY and, where connections may break, UPLOAD_TIMEOUT; null when it is over
 * @throws Error when there is none for minutes, or when a connection breaks that must not
 */
export async function askAgain<LedgerLine extends Answer>(
  { origins, chance, mayBreak, counts }: Asker,
  once: (origin: string, signal: AbortSignal) => Promise<LedgerLine>,
  isOver: () => boolean | Promise<boolean> = () => false,
): Promise<LedgerLine | null> {
  const giveUpAt = performance.now() + GIVEN_UP_MS;
  let last = 'nothing';
  while (!(await isOver())) {
    if (performance.now() > giveUpAt) throw new Error(`No answer in ${GIVEN_UP_MS / 1000} s; the last was ${last}`);
    const origin = chance.pick(origins) ?? '';
    try {
      const answer = await once(origin, AbortSignal.timeout(PATIENCE_MS));
      last = codeOf(answer);
      const retryAfter = Number(answer.headers.get('retry-after'));
      // A response to HEAD has no body, and one of the identity service has no code.
      const isBusy = answer.status === 503 && [undefined, 'SERVER_BUSY'].includes(answer.body.code);
      if (isBusy && retryAfter > 0) {
        counts.busy += 1;
        await delay(1000 * Math.min(LONGEST_WAIT_S, retryAfter));
      } else if (mayBreak && answer.body.code === 'UPLOAD_TIMEOUT') counts.broken += 1;
      else return answer;
    } catch (error) {
      last = `${error} ${error instanceof Error ? (error.cause ?? '') : ''} at ${origin}`;
      if (!mayBreak) throw new Error(`A connection broke: ${last}`, { cause: error });
      if (!isLost(error)) throw error;
      counts.broken += 1;
      await delay(AGAIN_AFTER_MS);
    }
  }
  return null;
}

export const isLost = (error: unknown): boolean =>
  isConnectionLost(error) || (error instanceof DOMException && error.name === 'TimeoutError');
