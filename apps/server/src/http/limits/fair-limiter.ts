/** Limits work that takes the processor, or waits for another server. Every route that has such work done without a sign-in uses it. */
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unlessAborted } from '../../unless-aborted.ts';
import { whileClientConnected } from '../client-connection.ts';
import { HttpProblem } from '../http-problem.ts';
import { networkOf } from './network-of.ts';

/** Who wants work done. */
export interface Requester {
  /** an account, a recording without one, or the network of a visitor */
  readonly owner: string;
  /** Has not signed in: is refused before accounts are, and has one piece of work done at a time. */
  readonly isVisitor?: boolean;
  /** Waits, however many of its owner wait already. For work that is limited elsewhere. */
  readonly patient?: boolean;
  /** Aborts once no request waits for the work. What runs keeps its slot until it has ended. */
  readonly signal?: AbortSignal;
}

/** Waits as long as its connection is open. */
export type ConnectedRequester = Requester & { readonly signal: AbortSignal };

export interface FairLimiterOptions {
  /** pieces of work that run concurrently */
  readonly atOnce?: number;
  /** … of one account */
  readonly eachAtOnce?: number;
  /** pieces of one owner that run or wait */
  readonly mostEach?: number;
  /** … of all; visitors are refused at half of it */
  readonly most?: number;
}

type Task = Requester & { readonly begin: () => void };

const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

export type FairLimiter = ReturnType<typeof createFairLimiter>;

/** Runs a few pieces of work concurrently. Owners take turns, and so do accounts and visitors. */
export function createFairLimiter({ atOnce = 1, eachAtOnce = 1, mostEach = 5, most = 65 }: FairLimiterOptions = {}) {
  let waiting: Task[] = [];
  const running = new Set<Task>();
  const closing = new AbortController();
  let isClosed = false;
  let lastWasVisitor = false;
  /** Moving average of the seconds per piece of work. */
  let seconds = MIN_RETRY_SECONDS;

  function busy(ahead: number, by?: 'requests'): HttpProblem<'SERVER_BUSY'> {
    const retryAfterSeconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, seconds * ahead)));
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds, ...(by && { by }) });
  }

  const isWaitedFor = ({ signal }: Task): boolean => !signal?.aborted;
  const isAllowed = ({ owner, isVisitor }: Task): boolean =>
    [...running].filter((other) => other.owner === owner).length < (isVisitor ? 1 : eachAtOnce);

  function beginNext(): void {
    waiting = waiting.filter(isWaitedFor);
    while (running.size < atOnce) {
      const allowed = waiting.filter(isAllowed);
      const next = allowed.find(({ isVisitor = false }) => isVisitor !== lastWasVisitor) ?? allowed[0];
      if (next === undefined) return;
      lastWasVisitor = next.isVisitor ?? false;
      waiting.splice(waiting.indexOf(next), 1);
      running.add(next);
      next.begin();
    }
  }

  async function enter<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const task = { ...requester, begin };
    waiting.push(task);
    beginNext();
    await begun;
    // Work that never waits would otherwise follow on work that never waits, and all other requests would wait for all of it.
    await setImmediate();
    const start = performance.now();
    try {
      if (isClosed || (closing.signal.aborted && !task.patient)) throw busy(1);
      task.signal?.throwIfAborted();
      return await work();
    } finally {
      seconds += ((performance.now() - start) / 1000 - seconds) / 8;
      running.delete(task);
      const isOwn = ({ owner }: Task): number => Number(owner === task.owner);
      waiting.sort((one, other) => isOwn(one) - isOwn(other));
      beginNext();
    }
  }

  return {
    /**
     * @throws HttpProblem SERVER_BUSY when too many of the owner wait, or too many in total, or the server stops
     * @throws the signal's reason when it aborts
     */
    async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
      const { owner, isVisitor, patient, signal } = requester;
      if (patient) return enter(requester, work);
      const all = [...waiting.filter(isWaitedFor), ...running];
      // Patient work is counted elsewhere; one owner's must not keep others out.
      const refusable = all.filter((task) => !task.patient);
      const own = refusable.filter((task) => task.owner === owner).length;
      if (closing.signal.aborted || refusable.length >= (isVisitor ? most / 2 : most)) throw busy(all.length);
      if (own >= mostEach) throw busy(own, 'requests');
      return unlessAborted(enter(requester, work), AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]));
    },
    /** Refuses work that is not patient, even if it runs; patient work continues. */
    beginClosing: () => closing.abort(busy(1)),
    close() {
      isClosed = true;
      closing.abort(busy(1));
    },
  };
}

export const visitorOf = ({ ip }: Pick<FastifyRequest, 'ip'>) =>
  ({ owner: `network ${networkOf(ip)}`, isVisitor: true }) as const;

/** Does the work of a public route for its visitor as long as the connection is open; after that there is no reply. */
export const forVisitor = <Value>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (visitor: ConnectedRequester) => Promise<Value>,
): Promise<Value | FastifyReply> => whileClientConnected(reply, (signal) => work({ ...visitorOf(request), signal }));
