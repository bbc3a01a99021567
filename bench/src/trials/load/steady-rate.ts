import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, codeOf } from '../../harness/api.ts';
import { timed } from '../../harness/measures.ts';

/**
 * The rate of repeated events, counted from the first one on, so that neither start-up nor the end affects it.
 *
 * @param seconds duration, after which events do not count
 */
export function createSteadyRate(seconds: number) {
  const start = performance.now();
  const elapsedSeconds = (): number => (performance.now() - start) / 1000;
  let firstAt = Number.NaN;
  let later = 0;
  return {
    count(): void {
      const at = elapsedSeconds();
      if (at >= seconds) return;
      if (Number.isNaN(firstAt)) firstAt = at;
      else later += 1;
    },
    get isOver(): boolean {
      return elapsedSeconds() >= seconds;
    },
    get secondsLeft(): number {
      return Math.max(0, seconds - elapsedSeconds());
    },
    get perSecond(): number {
      return later / (seconds - firstAt);
    },
  };
}

/** What clients that send without pause got. */
export interface Sent {
  readonly perSecond: number;
  readonly tookMs: readonly number[];
  /** number of responses that asked to come back later */
  readonly busy: number;
  readonly errors: readonly string[];
}

/** Each client sends again as soon as it has a response, or after the time that a busy server asks for. */
export async function sendWithoutPause(
  clients: readonly (() => Promise<Answer>)[],
  seconds: number,
  onAnswer: (answer: Answer) => void = () => {},
): Promise<Sent> {
  const steady = createSteadyRate(seconds);
  const [tookMs, errors]: [number[], string[]] = [[], []];
  let busy = 0;
  const keepSending = async (send: () => Promise<Answer>): Promise<void> => {
    while (!steady.isOver) {
      const { result: answer, ms } = await timed(() => send().catch(String));
      if (typeof answer === 'string') errors.push(answer);
      else if (answer.status === 200) {
        steady.count();
        tookMs.push(ms);
        onAnswer(answer);
      } else if (answer.body.code === 'SERVER_BUSY' && answer.headers.has('retry-after')) {
        busy += 1;
        await delay(1000 * Math.min(Number(answer.headers.get('retry-after')), steady.secondsLeft));
      } else errors.push(codeOf(answer));
    }
  };
  await Promise.all(clients.map(keepSending));
  return { perSecond: steady.perSecond, tookMs, busy, errors };
}
