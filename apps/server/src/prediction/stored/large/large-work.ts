import { Worker } from 'node:worker_threads';
import { HttpProblem } from '../../../http/http-problem.ts';
import { createTurns } from '../../jobs/turns.ts';
import { buffersOf, type TaskName, type Tasks, type ThreadReply, type ThreadRequest } from './thread-tasks.ts';

/** Asks the thread; to be used only by the work that it was handed to. */
export type Ask = <Name extends TaskName>(name: Name, task: Tasks[Name]['task']) => Promise<Tasks[Name]['result']>;

export interface Turn {
  /** Whose work it is: an account, or a recording without one. */
  readonly owner: string;
  /** Waits however many of its owner wait already. For work whose number is limited elsewhere. */
  readonly patient?: boolean;
  /** Seldom asked for: where nothing else needs the thread afterwards, its 40 MB are given back. */
  readonly isRare?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Work on answers and evidence that would hold the event loop up: done in one thread, one piece of work at a time, owners taking turns.
 * Of each owner one is done at once and a few wait.
 */
export interface LargeWork {
  /**
   * @throws HttpProblem SERVER_BUSY when too many of the owner wait, or the server stops
   * @throws the signal's reason when it aborts
   */
  run<T>(turn: Turn, work: (ask: Ask) => Promise<T>): Promise<T>;
  /** Ends what people only wait to see; analyses still get their answer. */
  beginClosing(): void;
  close(): Promise<void>;
}

const MOST_WAITING_EACH = 4;
const MOST_WAITING = 64;
const MIN_RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;
/** Evidence and texts lie outside of it; of a whole answer's objects there is room for ten. */
const HEAP_MEGABYTES = 256;

interface Waiting {
  readonly accountId: string;
  readonly createdAtMs: number;
  readonly patient: boolean;
  readonly isRare: boolean;
  begin(): Promise<void>;
  refuse(reason: unknown): void;
}

/** @param modelFolder read by the thread when it is first needed */
export function createLargeWork(modelFolder: string): LargeWork {
  const thread = createThread(modelFolder);
  const turns = createTurns();
  let waiting: Waiting[] = [];
  let current: Waiting | null = null;
  let closing = false;
  /** Moving average of how long a piece of work takes. */
  let seconds = MIN_RETRY_SECONDS;

  const busy = (ahead: number, by: 'largeAnswers' | 'ownLargeAnswers' = 'largeAnswers'): HttpProblem<'SERVER_BUSY'> => {
    const retryAfterSeconds = Math.ceil(Math.min(MAX_RETRY_SECONDS, Math.max(MIN_RETRY_SECONDS, seconds * ahead)));
    return new HttpProblem('SERVER_BUSY', { retryAfterSeconds, by });
  };

  function next(): void {
    if (current !== null) return;
    const [first] = turns.order(waiting);
    if (!first) return;
    waiting = waiting.filter((each) => each !== first);
    current = first;
    const start = performance.now();
    void first.begin().finally(() => {
      turns.note(first.accountId, Date.now());
      seconds += ((performance.now() - start) / 1000 - seconds) / 8;
      current = null;
      if (first.isRare && waiting.length === 0) thread.rest();
      next();
    });
  }

  return {
    run({ owner, patient = false, isRare = false, signal }, work) {
      const own = waiting.filter((other) => other.accountId === owner && !other.patient).length;
      if (closing && !patient) return Promise.reject(busy(waiting.length + 1));
      if (!patient && own >= MOST_WAITING_EACH) return Promise.reject(busy(own + 1, 'ownLargeAnswers'));
      if (!patient && waiting.length >= MOST_WAITING) return Promise.reject(busy(waiting.length + 1));
      return new Promise((resolve, reject) => {
        const refuse = (reason: unknown): void => {
          waiting = waiting.filter((each) => each !== turn);
          reject(reason);
        };
        const abort = (): void => refuse(signal?.reason);
        const turn: Waiting = {
          ...{ accountId: owner, createdAtMs: Date.now(), patient, isRare, refuse },
          // What aborts while it is done is done all the same: the thread cannot be told.
          begin: () => work(thread.ask).then(resolve, reject),
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', abort, { once: true });
        waiting.push(turn);
        next();
      });
    },
    beginClosing() {
      closing = true;
      for (const turn of waiting) if (!turn.patient) turn.refuse(busy(1));
      if (current && !current.patient) {
        current.refuse(busy(1));
        void thread.end();
      }
    },
    async close() {
      closing = true;
      for (const turn of waiting) turn.refuse(busy(1));
      await thread.end();
    },
  };
}

/** A thread that starts when it is first asked; one that died is replaced by the next question. */
function createThread(modelFolder: string) {
  let worker: Worker | null = null;
  /** Tables that it holds. */
  const tables = new Set<string>();

  function start(): Worker {
    const started = new Worker(new URL('./answer-thread.ts', import.meta.url), {
      name: 'answers',
      workerData: modelFolder,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    started.unref();
    // Whoever asked it hears of its end.
    started.on('error', () => {});
    started.once('exit', () => {
      if (worker === started) worker = null;
    });
    return started;
  }

  async function end(): Promise<void> {
    const ended = worker;
    worker = null;
    tables.clear();
    await ended?.terminate();
  }

  const ask: Ask = async (name, task) => {
    worker ??= start();
    const asked = worker;
    const { promise, resolve, reject } = Promise.withResolvers<ThreadReply>();
    const end = (): void => reject(new Error('The thread ended.'));
    asked.once('message', resolve);
    asked.once('error', reject);
    asked.once('exit', end);
    try {
      const memory = 'evidence' in task ? buffersOf(task.evidence) : [];
      // Name and task belong together by the type of `ask`.
      asked.postMessage({ name, task } as ThreadRequest, memory);
      const reply = await promise;
      if ('error' in reply) throw new Error(reply.error);
      if (name === 'openTable') tables.add(String(reply.result));
      else if ('table' in task && reply.result === null) tables.delete(task.table);
      return reply.result as Tasks[typeof name]['result'];
    } finally {
      asked.off('message', resolve);
      asked.off('error', reject);
      asked.off('exit', end);
    }
  };

  return {
    ask,
    end,
    rest(): void {
      if (tables.size === 0) void end();
    },
  };
}
