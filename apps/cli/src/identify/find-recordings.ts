import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { recordingEndings } from '@chiffchaff/contract';

/** A requested recording, or why there is none. */
export type FoundRecording =
  | { readonly kind: 'recording'; readonly path: string; readonly shownAs: string }
  | {
      readonly kind: 'problem';
      readonly shownAs: string;
      readonly code: 'NOT_FOUND' | 'FOLDER_EMPTY' | 'FOLDER_UNREADABLE';
      readonly message: string;
    };

const endingOf = (name: string): string => extname(name).slice(1).toLowerCase();

/** Folders of systems and network drives, such as for what was deleted. */
const SYSTEM_FOLDER = /^(\.|(\$recycle\.bin|recycler|[#@]recycle|system volume information|@eadir|lost\+found)$)/i;

type Folder = { readonly folder: string; readonly shownAs: string };

/** What a run that is not complete has written so far. */
const OUR_OWN = /\.(part|journal)$/;

/** How many files in folders were not read, by the ending of their names. */
export type NotRead = Map<string, number>;

/**
 * Yields the recordings among files and folders, in order: every file that is named and, from a folder at any depth, the files that look
 * like audio. Folders are read as they are reached, which keeps memory use low.
 *
 * @param notRead counts the other files
 */
export async function* findRecordings(
  asked: readonly string[],
  startFolder: string,
  notRead: NotRead = new Map(),
): AsyncGenerator<FoundRecording> {
  for (const shownAs of asked) {
    const absolute = resolve(startFolder, shownAs);
    const found = await stat(absolute).catch(() => null);
    if (found === null)
      yield { kind: 'problem', shownAs, code: 'NOT_FOUND', message: `There is no file or folder at ${shownAs}.` };
    else if (!found.isDirectory()) yield { kind: 'recording', path: absolute, shownAs };
    else {
      let empty = true;
      const walked = { folders: [{ folder: absolute, shownAs }], seen: new Set<string>(), notRead };
      for (const next of walked.folders)
        for await (const recording of walk(next, walked)) {
          empty = false;
          yield recording;
        }
      if (empty)
        yield { kind: 'problem', shownAs, code: 'FOLDER_EMPTY', message: `There are no recordings in the folder ${shownAs}.` };
    }
  }
}

/**
 * Reads a folder, unless it has been read.
 *
 * @param walked.folders to read: that asked for, then those that links lead to, so that a folder is read by its own name if it has one
 * @param walked.seen real paths of those read so far: links may lead back
 */
async function* walk(
  { folder, shownAs }: Folder,
  walked: { readonly folders: Folder[]; readonly seen: Set<string>; readonly notRead: NotRead },
): AsyncGenerator<FoundRecording> {
  let entries: Awaited<ReturnType<typeof readEntries>>;
  try {
    const path = await realpath(folder);
    if (walked.seen.has(path)) return;
    walked.seen.add(path);
    entries = await readEntries(folder);
  } catch {
    yield { kind: 'problem', shownAs, code: 'FOLDER_UNREADABLE', message: `The folder ${shownAs} can't be read.` };
    return;
  }
  for (const entry of entries) {
    if (SYSTEM_FOLDER.test(entry.name)) continue;
    const inner = join(folder, entry.name);
    const innerShownAs = join(shownAs, entry.name);
    const found = entry.isSymbolicLink() ? await stat(inner).catch(() => null) : entry;
    if (entry.isDirectory()) yield* walk({ folder: inner, shownAs: innerShownAs }, walked);
    else if (found?.isDirectory()) walked.folders.push({ folder: inner, shownAs: innerShownAs });
    else if (found?.isFile() && recordingEndings.includes(endingOf(entry.name)))
      yield { kind: 'recording', path: inner, shownAs: innerShownAs };
    else if (!OUR_OWN.test(entry.name))
      walked.notRead.set(endingOf(entry.name), (walked.notRead.get(endingOf(entry.name)) ?? 0) + 1);
  }
}

async function readEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const isFolderAt = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() ?? false;
