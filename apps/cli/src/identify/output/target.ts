import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../command-error.ts';
import { cannotWrite, isThere } from '../../files.ts';
import { isFolderAt } from '../find-recordings.ts';
import type { Format, IdentifyOptions } from '../options.ts';
import { isNotAFile, withoutEnding } from './destination.ts';
import { fileEndings } from './formats.ts';
import { type Journal, openJournal } from './journal.ts';

/** A file that a run writes, or a folder with a file for each recording. */
export interface Output {
  readonly format: Format;
  /** absolute */
  readonly path: string;
  /** as given */
  readonly shownAs: string;
  readonly isFolder: boolean;
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
  /** The folder that all recordings are in. */
  readonly root: string;
}

/** @throws UsageError when there is no such folder, a file would replace what it may not, or Audacity's labels need a folder */
export async function findTarget(
  { out, asked, overwrites, formats }: Pick<IdentifyOptions, 'out' | 'asked' | 'overwrites' | 'formats'>,
  { startFolder, severalRecordings }: { readonly startFolder: string; readonly severalRecordings: boolean },
): Promise<Target | null> {
  const isOne = formats.length === 1;
  const isFolder = out !== null && (out.endsWith('/') || out.endsWith(sep));
  if (severalRecordings && isOne && formats[0] === 'audacity' && !isFolder)
    throw new UsageError(
      `Audacity's labels belong to one recording. For a file for each, give --out a folder: ${withoutEnding(out ?? 'labels')}/`,
    );
  if (out === null) return null;
  const shownAs = isFolder ? join(out, 'recordings') : isOne ? out : withoutEnding(out);
  const path = resolve(startFolder, shownAs);
  const outputs = formats.map((format): Output => {
    // Our own formats are about all recordings: summarise and others take them whole.
    if (isFolder && !['csv', 'json', 'table'].includes(format))
      return { format, path: dirname(path), shownAs: dirname(shownAs), isFolder };
    const isSplit = severalRecordings && format === 'audacity';
    const ending = isOne && !isFolder ? '' : isSplit ? '.audacity' : fileEndings[format];
    return { format, path: path + ending, shownAs: shownAs + ending, isFolder: isSplit };
  });
  if (!(await isThere(dirname(resolve(startFolder, out)))))
    throw new UsageError(`There is no folder ${dirname(out)} for --out ${out}. Create it, or choose another name.`);
  const hasJournal = await isThere(journalOf(path));
  let isReplaceable = true;
  for (const output of outputs) {
    if (asked.some((each) => resolve(startFolder, each) === output.path))
      throw new UsageError(`--out ${output.shownAs} would overwrite one of the recordings. Choose another name.`);
    const files = output.isFolder ? await readdir(output.path).catch(() => []) : null;
    if (files === null && (await isNotAFile(output.path))) isReplaceable = false;
    else if (!overwrites && !hasJournal && (files?.length ?? (await isThere(output.path))))
      throw new UsageError(`${output.shownAs} exists already. Add --overwrite to replace it, or choose another name.`);
  }
  return { path, shownAs, outputs, isReplaceable, root: await commonFolder(asked, startFolder) };
}

async function commonFolder(asked: readonly string[], startFolder: string): Promise<string> {
  const paths = asked.map((each) => resolve(startFolder, each));
  const folders = await Promise.all(paths.map(async (path) => ((await isFolderAt(path)) ? path : dirname(path))));
  let common = folders[0] ?? startFolder;
  while (folders.some((each) => relative(common, each).split(sep)[0] === '..')) common = dirname(common);
  return common;
}

const journalOf = (path: string): string => `${path}.journal`;

/** @throws UsageError when an interrupted run there had other settings */
export async function openJournalOf({ path, shownAs }: Pick<Target, 'path' | 'shownAs'>, settings: string): Promise<Journal> {
  const journal = await openJournal(journalOf(path), settings).catch((error: unknown) => cannotWrite(journalOf(shownAs), error));
  if (journal) return journal;
  throw new UsageError(
    `A run with other settings was interrupted here. Run it again as it was, delete ${journalOf(shownAs)}, or choose another name.`,
  );
}
