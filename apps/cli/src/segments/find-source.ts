import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Finds a recording by its name in a table; null when it does not exist. */
export type Finder = (file: string) => Promise<string | null>;

/**
 * @param tables recording → folders of the tables that name it
 * @param base folder that names are relative to
 */
export function createFinder(tables: ReadonlyMap<string, ReadonlySet<string>>, base: string): Finder {
  const found = new Map<string, Promise<string | null>>();
  return (file) => {
    const known = found.get(file) ?? look(file);
    found.set(file, known);
    return known;
  };

  async function look(file: string): Promise<string | null> {
    // `--excel-safe` prefixes an apostrophe to names that a spreadsheet would run.
    const names = file.startsWith("'") ? [file, file.slice(1)] : [file];
    for (const folder of [base, ...(tables.get(file) ?? [])])
      for (const name of names) {
        const path = resolve(folder, name);
        const status = await stat(path).catch(() => null);
        if (status?.isFile()) return path;
      }
    return null;
  }
}
