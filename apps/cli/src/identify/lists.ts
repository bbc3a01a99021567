import type { ModelNames } from '@chiffchaff/analysis';
import { type Note, readThresholds, type Site, type Thresholds } from '@chiffchaff/survey';
import { readGiven } from '../files.ts';
import { printable } from '../terminal/terminal.ts';

/** The lists that a run reads from files. */
export interface Lists {
  readonly sites: readonly Site[];
  /** scientific names of the species that may be named; undefined: all */
  readonly species: readonly string[] | undefined;
  readonly thresholds: Thresholds;
}

/** `Apus apus and 3 more species` */
export const namesIn = ([first = '', ...more]: readonly string[]): string =>
  `${first}${more.length === 0 ? '' : ` and ${more.length} more species`}`;

/**
 * @param file null: no thresholds
 * @param note is told, too, of species that keep all their detections for want of labels
 * @throws InputError when it cannot be read
 */
export async function openThresholds(file: string | null, startFolder: string, note: Note): Promise<Thresholds> {
  if (file === null) return new Map();
  const thresholds = await readGiven({ what: 'The thresholds', file, startFolder, note }, readThresholds);
  const without = [...thresholds].filter(([, threshold]) => threshold === null).map(([name]) => name);
  if (without.length > 0)
    note(
      `${printable(file)} has no threshold for ${printable(namesIn(without))} (not enough labels): all their detections are kept.`,
    );
  return thresholds;
}

/** Notes species with thresholds that the model does not know, such as one that is misspelt. */
export async function noteUnknown(
  thresholds: Thresholds,
  { namesIn: allIn, otherSounds }: ModelNames,
  note: Note,
): Promise<void> {
  const known = new Set([...(await allIn('en')).keys(), ...otherSounds.map(({ scientificName }) => scientificName)]);
  const unknown = [...thresholds.keys()].filter((name) => !known.has(name));
  if (unknown.length > 0) note(printable(`There are thresholds for ${namesIn(unknown)}, which the model does not know.`));
}
