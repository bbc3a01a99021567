import type { Findings } from './findings.ts';

/** Most time for the tags of one file. Their parser is not ours: a small file can keep it busy for minutes. */
const BUDGET_MS = 1000;
/** Most time until a thread has loaded the parser. */
const START_MS = 10_000;

/** A thread that passes files to `readTags`. */
export interface TagThread<File> {
  /** @param file null: only says when the thread is ready */
  read(file: File | null): Promise<Findings>;
  end(): void;
}

function within<Value>(limitMs: number, answer: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No tags within ${limitMs} ms`)), limitMs);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}

/**
 * Creates a function that reads the tags of one file after the other in a thread. It rejects when a file takes too long; then the thread is
 * ended, and the next file gets a new one.
 */
export function createTagReader<File>(start: () => TagThread<File>): (file: File) => Promise<Findings> {
  let thread: TagThread<File> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function read(file: File): Promise<Findings> {
    const used = thread ?? start();
    try {
      if (thread === null) await within(START_MS, used.read(null));
      thread = used;
      return await within(BUDGET_MS, used.read(file));
    } catch (error) {
      used.end();
      thread = null;
      throw error;
    }
  }

  return (file) => {
    const found = last.then(() => read(file));
    last = found.catch(() => {});
    return found;
  };
}
