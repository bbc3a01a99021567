import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LockOptions, takeLock } from './lock.ts';
import { syncFolder, wrapWriteErrors } from './write-durably.ts';

/**
 * Builds the file or folder `target` in a temporary folder, one process at a time: `work` fills the folder and calls {@link putInPlace}.
 * Removes the folder afterwards, as well as leftovers of killed runs. Only the lock file stays beside the target.
 *
 * @throws AcquireError `INSTALL_IN_PROGRESS`, `DISK_FULL`, `FOLDER_NOT_WRITABLE`
 * @throws the signal's reason when it aborts
 */
export async function installAtomically<Result>(
  target: string,
  options: LockOptions,
  work: (aside: string) => Promise<Result>,
): Promise<Result> {
  const parent = dirname(target);
  return wrapWriteErrors(parent, async () => {
    await mkdir(parent, { recursive: true });
    using _lock = await takeLock(join(parent, `.${basename(target)}.install-lock`), options);
    await clearLeftovers(target);
    const aside = asideOf(target, 'installing');
    try {
      await mkdir(aside);
      return await work(aside);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  });
}

/** Renames `made` to `target`. A folder cannot be renamed onto another, so the old one is moved aside first. */
export async function putInPlace(made: string, target: string): Promise<void> {
  const replaced = asideOf(target, 'replaced');
  try {
    await rename(made, target);
  } catch {
    await rename(target, replaced);
    await rename(made, target);
  }
  await syncFolder(dirname(target));
  await rm(replaced, { recursive: true, force: true });
}

/** A hidden sibling of the target, so that it is on the same disk and can be renamed. */
const asideOf = (target: string, purpose: 'installing' | 'replaced'): string =>
  join(dirname(target), `.${basename(target)}.${purpose}`);

/** Removes leftovers of killed runs; first restores a replaced target whose successor is missing. */
async function clearLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  const names = await readdir(parent);
  const left = (purpose: 'installing' | 'replaced') =>
    names.filter((name) => name.startsWith(basename(asideOf(target, purpose)))).map((name) => join(parent, name));
  const [last] = left('replaced');
  if (last !== undefined && !names.includes(basename(target))) await rename(last, target);
  for (const path of [...left('installing'), ...left('replaced')]) await rm(path, { recursive: true, force: true });
}
