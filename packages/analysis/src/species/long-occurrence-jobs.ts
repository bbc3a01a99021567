import type { WorkerPool } from '@chiffchaff/recognizer/node';

/** The part of a worker pool that runs the occurrence model. */
export type OccurrencePool = Pick<WorkerPool, 'occurrences' | 'close'>;

/** How long an idle thread is kept; it takes some 40 MB. */
const IDLE_MS = 30_000;

/**
 * Runs long jobs of the occurrence model one at a time, in a separate thread, so that recordings never wait for them.
 *
 * @param startPool starts the thread
 */
export function createLongOccurrenceJobs(startPool: () => Promise<OccurrencePool>) {
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
    /** Runs the work after all earlier work. */
    run: <Value>(work: (asked: OccurrencePool['occurrences']) => Promise<Value>): Promise<Value> => run(() => take(work)),
    /** Stops the work in progress at its next question. */
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(idle);
      await turn;
      await end();
    },
  };
}

export type LongOccurrenceJobs = ReturnType<typeof createLongOccurrenceJobs>;
