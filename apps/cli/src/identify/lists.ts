import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readThresholds, type Site, TableError, type Thresholds } from '@chiffchaff/survey';
import { InputError } from '../command-error.ts';
import { whyUnreadable } from '../files.ts';
import { printable } from '../terminal/terminal.ts';

/** The lists that a run reads from files. */
export interface Lists {
  readonly sites: readonly Site[];
  /** scientific names of the species that may be named; undefined: all */
  readonly species: readonly string[] | undefined;
  /** null: none */
  readonly thresholds: Thresholds | null;
}

/** @throws InputError when it cannot be read */
export async function openThresholds(file: string | null, startFolder: string): Promise<Thresholds | null> {
  if (file === null) return null;
  const shownAs = printable(file);
  const text = await readFile(resolve(startFolder, file), 'utf8').catch((error: unknown) => {
    throw new InputError(`The thresholds ${shownAs} can't be read: ${whyUnreadable(error) ?? String(error)}.`, { cause: error });
  });
  try {
    return readThresholds(text, shownAs);
  } catch (error) {
    throw error instanceof TableError ? new InputError(error.message, { cause: error }) : error;
  }
}
