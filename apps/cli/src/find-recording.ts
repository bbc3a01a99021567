/** Finds the recordings that tables name, for `segments` and `review`. */
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isThere } from './files.ts';
import type { TableFile } from './read-tables.ts';

/** A file with the name of a recording, and the folder in which it was looked for. */
export interface FoundFile {
  readonly folder: string;
  readonly path: string;
}

/** Where recordings are looked for. */
interface Where {
  readonly startFolder: string;
  /** `--recordings`; null: the current folder */
  readonly recordings: string | null;
}

/**
 * Finds the recordings that tables name: in the folder of `--recordings` or else the current one, and in the folders of their tables. With
 * `--recordings`, also by the longest end of a path that is there, for tables of other machines and cards mounted elsewhere.
 */
export function createFinder({ startFolder, recordings }: Where) {
  const base = recordings === null ? startFolder : resolve(startFolder, recordings);
  /** name in the tables → folders of these tables */
  const tables = new Map<string, Set<string>>();
  let ends: ReadonlyMap<string, number> | null = null;
  const listings = new Map<string, Promise<ReadonlyMap<string, string>>>();

  /** The names of a folder's entries by their form NFC, in which tables are read; macOS writes NFD. */
  function listingOf(folder: string): Promise<ReadonlyMap<string, string>> {
    const known =
      listings.get(folder) ??
      readdir(folder).then(
        (names) => new Map(names.map((name) => [name.normalize('NFC'), name])),
        () => new Map(),
      );
    listings.set(folder, known);
    return known;
  }

  async function onDisk(folder: string, name: string): Promise<string | null> {
    const exact = resolve(folder, name);
    if (await isThere(exact)) return exact;
    if (!/[^\p{ASCII}]/u.test(name)) return null;
    let path = name.startsWith('/') ? '/' : folder;
    for (const part of name.split('/').filter(Boolean)) {
      const next = join(path, part);
      const other = (await isThere(next)) ? part : (await listingOf(path)).get(part);
      if (other === undefined) return null;
      path = join(path, other);
    }
    return path;
  }

  /** How many recordings of the tables have the same end of a path. */
  function countEnds(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const file of tables.keys()) for (const end of endsOf(file)) counts.set(end, (counts.get(end) ?? 0) + 1);
    return counts;
  }

  return {
    /** Says that a table names a recording. */
    add(file: string, { path }: TableFile): void {
      ends = null;
      tables.set(file, (tables.get(file) ?? new Set()).add(dirname(path)));
    },
    /** The recordings named so far. */
    named: () => tables.keys(),
    /** The files that have the name of a recording, the likeliest first. */
    async *find(file: string): AsyncGenerator<FoundFile> {
      // `--excel-safe` prefixes an apostrophe to names that a spreadsheet would run; on some systems a name may have a backslash.
      const names = new Set([file, file.replace(/^'/, ''), file.replaceAll('/', '\\')]);
      for (const folder of [base, ...(tables.get(file) ?? [])])
        for (const name of names) {
          const path = await onDisk(folder, name);
          if (path !== null) yield { folder, path };
        }
      if (recordings === null) return;
      ends ??= countEnds();
      for (const end of endsOf(file)) {
        // The end of two names does not tell which of them is there.
        const path = ends.get(end) === 1 ? await onDisk(base, end) : null;
        if (path !== null) return yield { folder: base, path };
      }
    },
  };
}

export type Finder = ReturnType<typeof createFinder>;

/** `B/x.wav`, then `x.wav` of `D:/B/x.wav`. */
function* endsOf(file: string): Generator<string> {
  const parts = file
    .replace(/^[a-z]:/i, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  for (let from = parts.lastIndexOf('..') + 1; from < parts.length; from += 1) yield parts.slice(from).join('/');
}
