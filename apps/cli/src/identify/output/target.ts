import { stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { UsageError } from '../../command-error.ts';
import { cannotWrite } from '../../files.ts';
import type { Format, IdentifyOptions } from '../options.ts';
import { isNotAFile } from './destination.ts';
import { fileEndings } from './formats.ts';
import { type Journal, openJournal } from './journal.ts';

/** A file that a run writes. */
export interface Output {
  readonly format: Format;
  /** absolute */
  readonly path: string;
  /** as given */
  readonly shownAs: string;
}

/** The output files of a run. */
export interface Target {
  /** absolute; with several files, the part that their paths share */
  readonly path: string;
  /** as given */
  readonly shownAs: string;
  readonly outputs: readonly Output[];
  /** True for files, existing or not; a pipe or terminal is written to directly. */
  readonly isReplaceable: boolean;
}

/** @throws UsageError when the folder does not exist, or a file would replace a recording or, without `overwrites`, another file */
export async function findTarget(
  { out, asked, overwrites, formats }: Pick<IdentifyOptions, 'out' | 'asked' | 'overwrites' | 'formats'>,
  startFolder: string,
): Promise<Target | null> {
  if (out === null) return null;
  const isOne = formats.length === 1;
  const shownAs = isOne ? out : out.slice(0, out.length - extname(out).length);
  const path = resolve(startFolder, shownAs);
  const outputs = formats.map((format) => {
    const ending = isOne ? '' : fileEndings[format];
    return { format, path: path + ending, shownAs: shownAs + ending };
  });
  if (!(await isThere(dirname(path))))
    throw new UsageError(`There is no folder ${dirname(shownAs)} for --out ${out}. Create it, or choose another name.`);
  const hasJournal = await isThere(journalOf(path));
  let isReplaceable = true;
  for (const output of outputs) {
    if (asked.some((each) => resolve(startFolder, each) === output.path))
      throw new UsageError(`--out ${output.shownAs} would overwrite one of the recordings. Choose another name.`);
    if (await isNotAFile(output.path)) isReplaceable = false;
    else if (!overwrites && !hasJournal && (await isThere(output.path)))
      throw new UsageError(`${output.shownAs} exists already. Add --overwrite to replace it, or choose another name.`);
  }
  return { path, shownAs, outputs, isReplaceable };
}

const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => null)) !== null;
const journalOf = (path: string): string => `${path}.journal`;

/** @throws UsageError when an interrupted run there had other settings */
export async function openJournalOf({ path, shownAs }: Pick<Target, 'path' | 'shownAs'>, settings: string): Promise<Journal> {
  const journal = await openJournal(journalOf(path), settings).catch((error: unknown) => cannotWrite(journalOf(shownAs), error));
  if (journal) return journal;
  throw new UsageError(
    `A run with other settings was interrupted here. Run it again as it was, delete ${journalOf(shownAs)}, or choose another name.`,
  );
}
