import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { Outcome } from './outcome.ts';

/** Outcomes of a run, saved beside its output so that an interrupted run can resume. */
export interface Journal {
  /** Number of outcomes left by an earlier run. */
  readonly kept: number;
  /** The saved outcome of a recording that has not changed since; null when there is none. */
  find(path: string): Promise<Outcome | null>;
  /** Saves an outcome. Once this resolves, it survives a crash of the program. */
  add(path: string, outcome: Outcome): Promise<void>;
  /** Deletes the journal, once the run is complete. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

/** Tells whether a recording has changed. */
interface FileStamp {
  readonly bytes: number;
  readonly modifiedMs: number;
}
interface Line extends FileStamp {
  readonly path: string;
  readonly outcome: Outcome;
}
interface Place extends FileStamp {
  readonly offset: number;
  readonly length: number;
}

const NEW_LINE = 10;
const READ_BYTES = 1_048_576;

async function seen(path: string): Promise<FileStamp | null> {
  const found = await stat(path).catch(() => null);
  return found && { bytes: found.size, modifiedMs: found.mtimeMs };
}

/** Yields complete lines with their positions; leaves out a partial last line. */
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
 * Opens the journal at a path, or starts one.
 *
 * @param settings a text that differs whenever outcomes would
 * @returns null when the existing journal has other settings
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
    // Drop the line that was being written when the run ended.
    await file.truncate(end);
    if (end === 0) await file.appendFile(`${JSON.stringify({ settings })}\n`);
    return journalIn(file, path, places);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function journalIn(file: FileHandle, path: string, places: ReadonlyMap<string, Place>): Journal {
  /** Serialises writes: each is a whole line. */
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
