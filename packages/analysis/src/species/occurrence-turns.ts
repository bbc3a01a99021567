import type { WorkerPool } from '@chiffchaff/recognizer/node';

/** What asks the occurrence model. */
export type OccurrencePool = Pick<WorkerPool, 'occurrences' | 'close'>;

/** A thread that has nothing to do for so long is ended: it takes some 40 MB. */
const IDLE_MS = 30_000;

/**
 * Long questions to the occurrence model, one at a time, in a thread of their own: recordings do not wait for them, however many are asked.
 *
 * @param startPool starts the thread
 */
export function createOccurrenceTurns(startPool: () => Promise<OccurrencePool>) {
  let pool: Promise<OccurrencePool> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  const closing = new AbortController();

  async function end(): Promise<void> {
    const ending = pool;
    pool = null;
    await (await ending?.catch(() => null))?.close();
  }

  async function take<Value>(work: (asked: OccurrencePool['occurrences']) => Promise<Value>): Promise<Value> {
    closing.signal.throwIfAborted();
    clearTimeout(idle);
    pool ??= startPool();
    try {
      const { occurrences } = await pool;
      return await work((places) => {
        closing.signal.throwIfAborted();
        return occurrences(places);
      });
    } catch (error) {
      await end();
      throw error;
    } finally {
      idle = setTimeout(() => void run(end), IDLE_MS).unref();
    }
  }

  function run<Value>(next: () => Promise<Value>): Promise<Value> {
    const result = turn.then(next);
    turn = result.catch(() => {});
    return result;
  }

  return {
    /** Runs the work when those before have ended. */
    run: <Value>(work: (asked: OccurrencePool['occurrences']) => Promise<Value>): Promise<Value> => run(() => take(work)),
    /** Stops what is being worked on. */
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(idle);
      await turn;
      await end();
    },
  };
}

export type OccurrenceTurns = ReturnType<typeof createOccurrenceTurns>;
