import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { Outcome } from './outcome.ts';

/** Outcomes of a run, kept beside the file that it writes: a run that was cut short goes on where it was. */
export interface Journal {
  /** How many outcomes an earlier run has left. */
  readonly kept: number;
  /** The outcome of a recording that has not changed since; null when there is none. */
  find(path: string): Promise<Outcome | null>;
  /** Keeps it. Once this resolves, no end of the program loses it. */
  add(path: string, outcome: Outcome): Promise<void>;
  /** All is done: nothing is to be gone on with. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

/** What a recording is known by. */
interface Seen {
  readonly bytes: number;
  readonly modifiedMs: number;
}
interface Line extends Seen {
  readonly path: string;
  readonly outcome: Outcome;
}
interface Place extends Seen {
  readonly offset: number;
  readonly length: number;
}

const NEW_LINE = 10;
const READ_BYTES = 1_048_576;

async function seen(path: string): Promise<Seen | null> {
  const found = await stat(path).catch(() => null);
  return found && { bytes: found.size, modifiedMs: found.mtimeMs };
}

/** Whole lines of a file with their places; what was cut off at its end is left out. */
async function* linesOf(file: FileHandle): AsyncGenerator<{ offset: number; length: number; text: string }> {
  let offset = 0;
  let rest = Buffer.alloc(0);
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, offset + rest.length);
    if (bytesRead === 0) return;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    for (let end = rest.indexOf(NEW_LINE); end >= 0; end = rest.indexOf(NEW_LINE)) {
      yield { offset, length: end, text: rest.toString('utf8', 0, end) };
      offset += end + 1;
      rest = rest.subarray(end + 1);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isLine = (value: unknown): value is Line =>
  typeof value === 'object' && value !== null && 'path' in value && 'outcome' in value && 'bytes' in value;

/**
 * Opens the journal at a path, or begins one.
 *
 * @param settings a text that differs where outcomes would
 * @returns null where the one that is there has other settings
 */
export async function openJournal(path: string, settings: string): Promise<Journal | null> {
  const file = await open(path, 'a+', 0o600);
  try {
    const places = new Map<string, Place>();
    let end = 0;
    for await (const { offset, length, text } of linesOf(file)) {
      const line = parsed(text);
      if (offset === 0 && JSON.stringify({ settings }) !== text) {
        await file.close();
        return null;
      }
      if (offset > 0 && !isLine(line)) break;
      if (isLine(line)) places.set(line.path, { offset, length, bytes: line.bytes, modifiedMs: line.modifiedMs });
      end = offset + length + 1;
    }
    // What was being written when the run ended is gone.
    await file.truncate(end);
    if (end === 0) await file.appendFile(`${JSON.stringify({ settings })}\n`);
    return journalIn(file, path, places);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function journalIn(file: FileHandle, path: string, places: ReadonlyMap<string, Place>): Journal {
  /** One after the other: each is a whole line. */
  let adding = Promise.resolve();
  return {
    kept: places.size,
    async find(recording) {
      const place = places.get(recording);
      const now = place && (await seen(recording));
      if (!place || now?.bytes !== place.bytes || now.modifiedMs !== place.modifiedMs) return null;
      const { buffer } = await file.read(Buffer.alloc(place.length), 0, place.length, place.offset);
      const line = parsed(buffer.toString('utf8'));
      return isLine(line) ? line.outcome : null;
    },
    async add(recording, outcome) {
      const now = await seen(recording);
      if (now === null) return;
      const line: Line = { path: recording, ...now, outcome };
      adding = adding.then(() => file.appendFile(`${JSON.stringify(line)}\n`));
      await adding;
    },
    remove: () => rm(path, { force: true }),
    close: () => file.close(),
  };
}
