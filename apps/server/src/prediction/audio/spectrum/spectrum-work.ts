import { Worker } from 'node:worker_threads';
import { PredictionError } from '@chiffchaff/analysis';
import pLimit from 'p-limit';
import { HttpProblem } from '../../../http/http-problem.ts';
import type { TileTask } from './draw-tile.ts';
import type { SpectrumReply, SpectrumRequest } from './spectrum-messages.ts';
import type { OverviewTask } from './write-overview.ts';

/** Images of sound, computed on threads of their own: one for overviews, which take long, and one for tiles, which somebody waits for. */
export interface SpectrumWork {
  /** @throws PredictionError when the sound cannot be read. @throws the signal's reason when it aborts */
  overview(task: OverviewTask, signal: AbortSignal): Promise<void>;
  /**
   * @throws HttpProblem SERVER_BUSY when too many wait
   * @throws PredictionError when the sound cannot be read
   * @throws the signal's reason when it aborts
   */
  tile(task: TileTask, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** One decodes while another is transformed. */
const TILES_AT_ONCE = 2;
const MOST_WAITING_TILES = 64;
const CACHED_TILES = 64;

export function createSpectrumWork(): SpectrumWork {
  const overviews = createThread();
  const tiles = createThread();
  const limit = pLimit(TILES_AT_ONCE);
  /** Tiles that were asked for last; a page that is panned to and fro asks for the same ones. Paths never name another sound. */
  const cache = new Map<string, Uint8Array>();

  return {
    async overview(task, signal) {
      await overviews.ask({ kind: 'overview', task }, signal);
    },
    async tile(task, signal) {
      const key = JSON.stringify([task.overviewPath, task.query]);
      const known = cache.get(key);
      if (known !== undefined) {
        cache.delete(key);
        cache.set(key, known);
        return known;
      }
      if (limit.pendingCount >= MOST_WAITING_TILES) throw new HttpProblem('SERVER_BUSY', { retryAfterSeconds: 2 });
      const bytes = await limit(() => tiles.ask({ kind: 'tile', task }, signal));
      if (bytes === null) throw new Error('A tile without bytes.');
      cache.set(key, bytes);
      const [oldest] = cache.keys();
      if (cache.size > CACHED_TILES && oldest !== undefined) cache.delete(oldest);
      return bytes;
    },
    async close() {
      await Promise.all([overviews.close(), tiles.close()]);
    },
  };
}

type Question =
  | Omit<Extract<SpectrumRequest, { kind: 'overview' }>, 'id'>
  | Omit<Extract<SpectrumRequest, { kind: 'tile' }>, 'id'>;

function errorOf({ error, problem }: Extract<SpectrumReply, { error: string }>): Error {
  const cause = new Error(error);
  return problem === null ? cause : new PredictionError(problem.code, problem.details, { cause });
}

/** A thread that starts when it is first asked; one that died is replaced by the next question. */
function createThread() {
  let worker: Worker | null = null;
  let nextId = 0;
  const waiting = new Map<number, PromiseWithResolvers<Uint8Array | null>>();

  function start(): Worker {
    const started = new Worker(new URL('./spectrum-thread.ts', import.meta.url), { name: 'spectrum' });
    started.unref();
    started.on('message', (reply: SpectrumReply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('error' in reply) asked?.reject(errorOf(reply));
      else asked?.resolve(reply.bytes);
    });
    const fail = (error: Error): void => {
      if (worker === started) worker = null;
      for (const asked of waiting.values()) asked.reject(error);
      waiting.clear();
    };
    started.once('error', fail);
    started.once('exit', () => fail(new Error('The thread ended.')));
    return started;
  }

  return {
    async ask(question: Question, signal: AbortSignal): Promise<Uint8Array | null> {
      signal.throwIfAborted();
      worker ??= start();
      const asked = worker;
      nextId += 1;
      const id = nextId;
      const answer = Promise.withResolvers<Uint8Array | null>();
      waiting.set(id, answer);
      const cancel = (): void => asked.postMessage({ kind: 'cancel', id } satisfies SpectrumRequest);
      signal.addEventListener('abort', cancel, { once: true });
      try {
        asked.postMessage({ ...question, id } satisfies SpectrumRequest);
        return await answer.promise;
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}
