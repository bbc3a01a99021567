import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Recordings by their names in the tables: absolute paths, links resolved. */
export interface FoundRecordings {
  readonly paths: ReadonlyMap<string, string>;
  /** recordings that are not shown, with the reason for the user */
  readonly leftOut: readonly { readonly file: string; readonly message: string }[];
}

/**
 * Finds recordings that are files in the given folders. Links are resolved first: a link out of its folder is left out, as is `../`, so
 * that a table from a stranger opens nothing else on this machine.
 *
 * @param named name in the tables → folders that it may be relative to; the first that has it counts
 */
export async function findRecordings(named: ReadonlyMap<string, readonly string[]>): Promise<FoundRecordings> {
  const paths = new Map<string, string>();
  const leftOut: { file: string; message: string }[] = [];
  const roots = new Map<string, string>();
  for (const [file, folders] of named) {
    let message = `There is no recording ${file}. --recordings names the folder that names in the tables are relative to.`;
    for (const folder of folders) {
      const root = roots.get(folder) ?? (await realpath(folder));
      roots.set(folder, root);
      // `--excel-safe` prefixes an apostrophe to names that a spreadsheet would run.
      const path = await realpath(resolve(root, file.startsWith("'") ? file.slice(1) : file)).catch(() => null);
      if (path === null) continue;
      if (!isWithin(root, path)) message = `${file} is not in ${folder}. --recordings opens another folder.`;
      else if (!(await stat(path)).isFile()) message = `${file} is no file.`;
      else {
        paths.set(file, path);
        break;
      }
    }
    if (!paths.has(file)) leftOut.push({ file, message });
  }
  return { paths, leftOut };
}

function isWithin(root: string, path: string): boolean {
  const between = relative(root, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}
