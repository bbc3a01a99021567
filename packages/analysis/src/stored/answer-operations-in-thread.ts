import { Worker } from 'node:worker_threads';
import { type BirpcReturn, createBirpc } from 'birpc';
import type { AnswerOperations } from './answer-operations.ts';
import { channelOf } from './thread-channel.ts';

/** Evidence and texts are outside this heap; it has room for the objects of ten whole answers. */
const HEAP_MEGABYTES = 256;
/** A folder, and the fingerprint of the model that must be in it. */
export interface ThreadModel {
  readonly path: string;
  readonly fingerprint: string | undefined;
}

/** How long an idle thread is kept: it takes 40 MB, and a tenth of a second to restart. */
const IDLE_MS = 10_000;

/**
 * The same work in a separate thread, which starts with the first call.
 *
 * @param model of which the thread opens the folder when it first needs it
 */
export function createAnswerThread(model: () => ThreadModel) {
  let running: { readonly worker: Worker; readonly rpc: BirpcReturn<AnswerOperations> } | null = null;
  let asked = 0;
  let idle: NodeJS.Timeout | undefined;

  function start() {
    const worker = new Worker(new URL('./answer-thread.ts', import.meta.url), {
      name: 'answers',
      workerData: model(),
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    const rpc: BirpcReturn<AnswerOperations> = createBirpc<AnswerOperations>({}, channelOf(worker));
    const started = { worker, rpc };
    const leave = (cause?: unknown): void => {
      if (running === started) running = null;
      rpc.$close(new Error('The thread that opens large answers ended.', { cause }));
    };
    worker.unref();
    worker.once('error', leave);
    worker.once('exit', () => leave());
    return started;
  }

  /** Ends the thread, which rejects calls in progress; the next call starts another. */
  async function end(): Promise<void> {
    clearTimeout(idle);
    await running?.worker.terminate();
  }

  async function ask<Value>(question: (rpc: BirpcReturn<AnswerOperations>) => Promise<Value>): Promise<Value> {
    clearTimeout(idle);
    running ??= start();
    asked += 1;
    try {
      return await question(running.rpc);
    } finally {
      asked -= 1;
      if (asked === 0) idle = setTimeout(() => void end(), IDLE_MS).unref();
    }
  }

  const operations: AnswerOperations = {
    text: (stored) => ask((rpc) => rpc.text(stored)),
    file: (stored, options) => ask((rpc) => rpc.file(stored, options)),
    head: (answer) => ask((rpc) => rpc.head(answer)),
    conclude: (evidence, question) => ask((rpc) => rpc.conclude(evidence, question)),
    reconsider: (stored) => ask((rpc) => rpc.reconsider(stored)),
    writeTable: (task) => ask((rpc) => rpc.writeTable(task)),
  };
  return { ...operations, end };
}
