import { constants, existsSync, rmSync } from 'node:fs';
import { access, lstat, mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AcquireError, codeOf, takeLock } from '@chiffchaff/acquire';
import { type Note, TableError } from '@chiffchaff/survey';
import { InputError, SetUpError, UsageError } from './command-error.ts';
import { printable } from './terminal/terminal.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder',
  EIO: 'a disk error occurred',
};

/** Why a file cannot be read, as the end of a sentence; null when the error is not about a file. */
export const whyUnreadable = (error: unknown): string | null => reasons[codeOf(error)] ?? null;

/**
 * Reads a table or list that the user gave.
 *
 * @param what it is, to begin a sentence with
 * @throws InputError when it cannot be read, or `read` refuses it
 */
export async function readGiven<Content>(
  { what, file, startFolder, note }: Readonly<Record<'what' | 'file' | 'startFolder', string>> & { readonly note: Note },
  read: (bytes: Uint8Array, shownAs: string, note: Note) => Content,
): Promise<Content> {
  const bytes = await readFile(resolve(startFolder, file)).catch((error: unknown) => {
    throw new InputError(`${what} ${printable(file)} can't be read: ${whyUnreadable(error) ?? String(error)}.`, { cause: error });
  });
  return orInputError(() => read(bytes, file, (sentence) => note(printable(sentence))));
}

/** Passes on why a table cannot be used. @throws InputError */
export function orInputError<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof TableError ? new InputError(printable(error.message), { cause: error }) : error;
  }
}

export const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;

/** @throws UsageError when there is something that only `--overwrite` may replace */
export async function requireAbsent(path: string, shownAs: string, another: 'name' | 'folder'): Promise<void> {
  if (await lstat(path).catch(() => null))
    throw new UsageError(`${printable(shownAs)} exists already. Add --overwrite to replace it, or choose another ${another}.`);
}

/**
 * Keeps other runs from writing to the same output, until the lock is disposed of or the process ends, however it ends. Without effect where
 * no lock can be had: what is wrong there shows when it is written to.
 *
 * @throws SetUpError at once when another run holds the lock
 */
export async function lockOutput(path: string, shownAs: string): Promise<Disposable> {
  const file = join(dirname(path), `.${basename(path)}.lock`);
  try {
    await mkdir(dirname(path), { recursive: true });
    for (;;) {
      const lock = await takeLock(file, { patienceMs: 0 });
      const release = () => lock[Symbol.dispose]();
      const remove = () => rmSync(file, { force: true });
      if (existsSync(file)) return { [Symbol.dispose]: () => [remove(), release()] };
      // Its last holder removed it in this moment, so the next run would make another.
      release();
    }
  } catch (error) {
    if (!(error instanceof AcquireError && error.code === 'INSTALL_IN_PROGRESS')) return { [Symbol.dispose]: () => {} };
    const message = `Another run is writing to ${printable(shownAs)}. Wait until it has ended, or choose another name.`;
    throw new SetUpError(message, { cause: error });
  }
}

/** @throws SetUpError always, with the reason */
export function cannotWrite(shownAs: string, error: unknown): never {
  // Node makes folders with those above them, and says ENOENT where the disk refuses.
  const isRefused = error instanceof Error && 'syscall' in error && error.syscall === 'mkdir' && codeOf(error) === 'ENOENT';
  const why = isRefused
    ? 'no folder can be made there; the disk may be read-only'
    : error instanceof Error
      ? error.message
      : String(error);
  throw new SetUpError(`${shownAs} can't be written: ${why}.`, { cause: error });
}

/** Checks that a file can be written before minutes of work depend on it; creates its folder. @throws SetUpError */
export async function requireWritable(file: string, shownAs: string): Promise<void> {
  try {
    await requireWritableFolder(dirname(file), shownAs);
    const found = await stat(file).catch(() => null);
    if (found?.isDirectory()) throw new Error('it is a folder');
    if (found) await access(file, constants.W_OK);
  } catch (error) {
    if (error instanceof SetUpError) throw error;
    cannotWrite(shownAs, error);
  }
}

/** Likewise for a folder that will receive files. @throws SetUpError */
export async function requireWritableFolder(folder: string, shownAs: string): Promise<void> {
  await mkdir(folder, { recursive: true })
    .then(() => access(folder, constants.W_OK))
    .catch((error: unknown) => cannotWrite(shownAs, error));
}
