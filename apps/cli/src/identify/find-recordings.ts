import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';

/** A requested recording, or why there is none. */
export type FoundRecording =
  | { readonly kind: 'recording'; readonly path: string; readonly shownAs: string }
  | {
      readonly kind: 'problem';
      readonly shownAs: string;
      readonly code: 'NOT_FOUND' | 'FOLDER_EMPTY' | 'FOLDER_UNREADABLE';
      readonly message: string;
    };

/** Which files in a folder are worth trying; whether a file is audio depends on its content. */
const EXTENSIONS = new Set(
  'wav wave w64 rf64 bwf flac mp3 mp2 m4a m4b aac mp4 mov 3gp ogg oga opus spx webm mka mkv wma asf aif aiff aifc caf amr wv ac3'.split(
    ' ',
  ),
);

const looksLikeAudio = (name: string) => !name.startsWith('.') && EXTENSIONS.has(extname(name).slice(1).toLowerCase());

/**
 * Yields the recordings among files and folders, in order: every file that is named and, from a folder at any depth, the files that look
 * like audio. Folders are read as they are reached, which keeps memory use low.
 */
export async function* findRecordings(asked: readonly string[], startFolder: string): AsyncGenerator<FoundRecording> {
  for (const shownAs of asked) {
    const absolute = resolve(startFolder, shownAs);
    const found = await stat(absolute).catch(() => null);
    if (found === null)
      yield { kind: 'problem', shownAs, code: 'NOT_FOUND', message: `There is no file or folder at ${shownAs}.` };
    else if (!found.isDirectory()) yield { kind: 'recording', path: absolute, shownAs };
    else {
      let empty = true;
      for await (const recording of walk(absolute, shownAs)) {
        empty = false;
        yield recording;
      }
      if (empty)
        yield { kind: 'problem', shownAs, code: 'FOLDER_EMPTY', message: `There are no recordings in the folder ${shownAs}.` };
    }
  }
}

/** Follows symbolic links to files but not to folders, which may lead back up. */
async function* walk(folder: string, shownAs: string): AsyncGenerator<FoundRecording> {
  let entries: Awaited<ReturnType<typeof readEntries>>;
  try {
    entries = await readEntries(folder);
  } catch {
    yield { kind: 'problem', shownAs, code: 'FOLDER_UNREADABLE', message: `The folder ${shownAs} can't be read.` };
    return;
  }
  for (const entry of entries) {
    const inner = join(folder, entry.name);
    const innerShownAs = join(shownAs, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.')) yield* walk(inner, innerShownAs);
    } else if (looksLikeAudio(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && (await isFile(inner)))))
      yield { kind: 'recording', path: inner, shownAs: innerShownAs };
  }
}

async function readEntries(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isFile = async (file: string) => (await stat(file).catch(() => null))?.isFile() ?? false;
