import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { SetUpError } from '../command-error.ts';

/** Where a command writes: results to `out`, messages and progress to `err`. */
export interface Terminal {
  readonly out: Writable;
  readonly err: Writable & { readonly isTTY?: boolean };
}

/** Writes one line to stderr. */
export function say(terminal: Terminal, line: string): void {
  terminal.err.write(`${line}\n`);
}

/** `1 detection`, `5 detections`; what else depends on the number belongs to both forms. */
export const counted = (count: number, one: string, several = `${one}s`): string => `${count} ${count === 1 ? one : several}`;

/** A file name may hold anything, including escape sequences that a terminal would obey. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are to go
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}

/**
 * Writes and waits until the stream has taken the text, so that a slow reader slows the work instead of filling memory.
 * @throws SetUpError when it cannot be written; the stream's own error when its reader has closed the pipe
 */
export function writeAll(stream: Writable, text: string): Promise<void> {
  if (text === '') return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve();
      else
        reject(isReaderGone(error) ? error : new SetUpError(`The output can't be written: ${error.message}.`, { cause: error }));
    });
  });
}

/** Whether the reader has closed the pipe (`identify … | head -1`). */
export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

const MOST_LINES = 5;

/** Lists at most five lines, then only says how many more there are. */
export const shortened = (lines: readonly string[], what: string): readonly string[] =>
  lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more ${what}`] : lines;
