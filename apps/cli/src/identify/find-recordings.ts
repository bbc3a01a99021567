import type { BigIntStats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { recordingEndings } from '@chiffchaff/contract';

export interface Recording {
  readonly kind: 'recording';
  readonly path: string;
  readonly shownAs: string;
  readonly bytes: number;
}

/** A requested recording, or why there is none. */
export type FoundRecording =
  | Recording
  | {
      readonly kind: 'problem';
      readonly shownAs: string;
      readonly code: 'NOT_FOUND' | 'FOLDER_EMPTY' | 'FOLDER_UNREADABLE';
      readonly message: string;
    };

const endingOf = (name: string): string => extname(name).slice(1).toLowerCase();

/** Folders of systems and network drives, such as for what was deleted. */
const SYSTEM_FOLDER = /^(\.|(\$recycle\.bin|recycler|[#@]recycle|system volume information|@eadir|lost\+found)$)/i;

type Place = { readonly path: string; readonly shownAs: string };

/** What a run that is not complete has written so far. */
const OUR_OWN = /\.(part|journal)$/;

/** What a search finds, and what it passes over. */
export interface FoundRecordings {
  readonly found: readonly FoundRecording[];
  /** how many files in folders do not look like audio, by the ending of their names */
  readonly notRead: Map<string, number>;
  /** further names of recordings found before: a link, another spelling of a path, a file that is also in a folder */
  readonly repeated: { readonly shownAs: string; readonly first: string }[];
}

/**
 * Finds the recordings among files and folders, in order and each once: every file that is named and, from a folder at any depth, the files
 * that look like audio.
 * @param signal when it aborts, the search ends with what it has found
 */
export async function findRecordings(
  asked: readonly string[],
  startFolder: string,
  signal: AbortSignal,
): Promise<FoundRecordings> {
  const found: FoundRecording[] = [];
  const passedOver: PassedOver = { notRead: new Map(), repeated: [] };
  for await (const each of eachRecording(asked, startFolder, passedOver)) {
    if (signal.aborted) break;
    found.push(each);
  }
  return { found, ...passedOver };
}

type PassedOver = Omit<FoundRecordings, 'found'>;

async function* eachRecording(
  asked: readonly string[],
  startFolder: string,
  passedOver: PassedOver,
): AsyncGenerator<FoundRecording> {
  const names = new Map<string, string>();
  for (const shownAs of asked) {
    const path = resolve(startFolder, shownAs);
    const found = await statOf(path);
    if (found === null)
      yield { kind: 'problem', shownAs, code: 'NOT_FOUND', message: `There is no file or folder at ${shownAs}.` };
    else if (!found.isDirectory()) yield* unlessRepeated({ path, shownAs }, found, { names, passedOver });
    else {
      const search = { links: [], seen: new Set<string>(), names, passedOver, isEmpty: true };
      yield* walk({ path, shownAs }, search);
      for (const link of search.links) yield* follow(link, search);
      if (search.isEmpty)
        yield { kind: 'problem', shownAs, code: 'FOLDER_EMPTY', message: `There are no recordings in the folder ${shownAs}.` };
    }
  }
}

interface Search {
  /** to follow last, so that what they lead to is read by its own name if it has one */
  readonly links: Place[];
  /** real paths of the folders read so far: links may lead back */
  readonly seen: Set<string>;
  /** which file → the name it was found by */
  readonly names: Map<string, string>;
  readonly passedOver: PassedOver;
  isEmpty: boolean;
}

/** Reads a folder, unless it has been read. */
async function* walk({ path, shownAs }: Place, search: Search): AsyncGenerator<FoundRecording> {
  let entries: Awaited<ReturnType<typeof readEntries>>;
  try {
    const real = await realpath(path);
    if (search.seen.has(real)) return;
    search.seen.add(real);
    entries = await readEntries(path);
  } catch {
    search.isEmpty = false;
    yield { kind: 'problem', shownAs, code: 'FOLDER_UNREADABLE', message: `The folder ${shownAs} can't be read.` };
    return;
  }
  for (const entry of entries) {
    if (SYSTEM_FOLDER.test(entry.name)) continue;
    const inner = { path: join(path, entry.name), shownAs: join(shownAs, entry.name) };
    if (entry.isSymbolicLink()) search.links.push(inner);
    else yield* follow(inner, search, entry.isFile());
  }
}

/** @param isFile known already: a name that is not UTF-8 cannot be looked up by its decoded text */
async function* follow(place: Place, search: Search, isFile = false): AsyncGenerator<FoundRecording> {
  const found = await statOf(place.path);
  const ending = endingOf(place.path);
  const { notRead } = search.passedOver;
  if (found?.isDirectory()) yield* walk(place, search);
  else if ((isFile || found?.isFile()) && recordingEndings.includes(ending)) {
    search.isEmpty = false;
    yield* unlessRepeated(place, found, search);
  } else if (!OUR_OWN.test(place.path)) notRead.set(ending, (notRead.get(ending) ?? 0) + 1);
}

/** Size and time are compared, too, for file systems that give several files one number. */
function* unlessRepeated(
  { path, shownAs }: Place,
  found: BigIntStats | null,
  { names, passedOver }: Pick<Search, 'names' | 'passedOver'>,
): Generator<FoundRecording> {
  const file = found ? [found.dev, found.ino, found.size, found.mtimeNs].join() : path;
  const first = names.get(file);
  if (first !== undefined) return void passedOver.repeated.push({ shownAs, first });
  names.set(file, shownAs);
  yield { kind: 'recording', path, shownAs, bytes: Number(found?.size ?? 0) };
}

const statOf = (path: string) => stat(path, { bigint: true }).catch(() => null);

async function readEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const isFolderAt = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() ?? false;
