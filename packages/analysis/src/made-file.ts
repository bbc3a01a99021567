/**
 * What the occurrence model has to be asked for seconds, made when first needed and kept in a file in the model's folder for the next
 * start: the table of time zones (`zones/open-zones.ts`) and the ranges of birds (`species/open-ranges.ts`).
 */
import { createHash } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeDurably } from '@chiffchaff/acquire';
import { type ModelFolder, openWorkerPool, type WorkerPool } from '@chiffchaff/recognizer/node';

/** How likely each label is at each of some places, one row after the other. */
export type AskOccurrences = WorkerPool['occurrences'];

export type StartPool = () => Promise<Pick<WorkerPool, 'occurrences' | 'close'>>;

export interface MadeFileOptions<Head, Content> {
  readonly model: ModelFolder;
  /** of the file; changes with its format */
  readonly name: string;
  /** Makes the content: a head, which is stored as JSON, and bytes. */
  make(ask: AskOccurrences): Promise<{ readonly head: Head; readonly body: readonly Uint8Array[] }>;
  /** Opens what was made or read. @throws when it is not what `make` returns */
  open(head: unknown, body: Buffer): Content;
  /** what to say when it cannot be made */
  readonly warning: string;
  /** Starts the thread that is asked, one of its own, so that recordings never wait for it. */
  readonly startPool?: StartPool | undefined;
}

/** Delay before another try at what could not be made; a try takes seconds of CPU time. */
const TRY_AGAIN_MS = 600_000;

const DIGEST = { algorithm: 'sha256', bytes: 32 } as const;
const digestOf = (bytes: Uint8Array): Buffer => createHash(DIGEST.algorithm).update(bytes).digest();

/** The file: a line of JSON, the bytes, and a digest, by which any change to it is found. */
export function openMadeFile<Head extends object, Content>(options: MadeFileOptions<Head, Content>) {
  const { model, make, open, warning, startPool = () => openWorkerPool({ modelFolder: model, workers: 0 }) } = options;
  const path = join(model.path, options.name);
  const inputs = `${model.manifest.occurrence?.sha256} ${model.manifest.labels.sha256}`;
  const closing = new AbortController();
  let content: Promise<Content | null> | null = null;

  /** @throws when there is no intact file, or one made from other inputs */
  async function read(): Promise<Content> {
    const bytes = await readFile(path);
    const made = bytes.subarray(0, -DIGEST.bytes);
    if (!digestOf(made).equals(bytes.subarray(made.length))) throw new Error(`${path} is damaged.`);
    const end = made.indexOf(10);
    const head: unknown = JSON.parse(made.toString('utf8', 0, end));
    if (!(head instanceof Object && 'inputs' in head && head.inputs === inputs)) throw new Error(`${path} is of another model.`);
    return open(head, made.subarray(end + 1));
  }

  /** Writes another file and renames it, so that readers see a complete one. */
  async function write(head: Head, body: Uint8Array): Promise<void> {
    const made = Buffer.concat([Buffer.from(`${JSON.stringify({ inputs, ...head })}\n`), body]);
    const aside = `${path}.part`;
    try {
      await writeDurably(aside, [made, digestOf(made)]);
      await rename(aside, path);
    } finally {
      await rm(aside, { force: true });
    }
  }

  async function makeAndWrite(): Promise<Content> {
    const pool = await startPool();
    try {
      const made = await make((places) => {
        closing.signal.throwIfAborted();
        return pool.occurrences(places);
      });
      const body = Buffer.concat(made.body);
      // If the folder is not writable, the next start only takes some seconds longer.
      await write(made.head, body).catch(() => {});
      return open(made.head, body);
    } finally {
      await pool.close();
    }
  }

  return {
    /** The content, for which simultaneous callers wait together; null for ten minutes after it could not be made. */
    get(): Promise<Content | null> {
      content ??= read()
        .catch(makeAndWrite)
        .catch((error: unknown) => {
          if (!closing.signal.aborted) process.emitWarning(`${warning}: ${String(error)}`);
          const tryAgain = (): void => {
            content = null;
          };
          void wait(TRY_AGAIN_MS, undefined, { ref: false, signal: closing.signal }).then(tryAgain, () => {});
          return null;
        });
      return content;
    },
    /** Stops the work in progress. */
    async close(): Promise<void> {
      closing.abort();
      await content;
    },
  };
}
