import { type Note, readThresholds, type Site, type Thresholds } from '@chiffchaff/survey';
import { readGiven } from '../files.ts';

/** The lists that a run reads from files. */
export interface Lists {
  readonly sites: readonly Site[];
  /** scientific names of the species that may be named; undefined: all */
  readonly species: readonly string[] | undefined;
  /** null: none */
  readonly thresholds: Thresholds | null;
}

/** @throws InputError when it cannot be read */
export async function openThresholds(file: string | null, startFolder: string, note: Note): Promise<Thresholds | null> {
  if (file === null) return null;
  return readGiven({ what: 'The thresholds', file, startFolder, note }, readThresholds);
}
