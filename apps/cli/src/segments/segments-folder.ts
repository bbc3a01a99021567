import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedSegment } from '@chiffchaff/survey';
import { SetUpError } from '../command-error.ts';
import { cannotWrite, requireAbsent } from '../files.ts';
import { printable } from '../terminal/terminal.ts';

/** The folder for segments. Nothing is written outside it. */
export interface SegmentsFolder {
  readonly listPath: string;
  readonly listShownAs: string;
  /** Makes a segment at a temporary path, then moves it into place; leaves nothing behind when `make` fails or returns false. */
  readonly put: (planned: PlannedSegment, make: (path: string) => Promise<boolean>) => Promise<void>;
}

/** @throws UsageError when a file would be replaced without `overwrites` */
export async function openSegmentsFolder(
  { path, shownAs }: { readonly path: string; readonly shownAs: string },
  planned: readonly PlannedSegment[],
  overwrites: boolean,
): Promise<SegmentsFolder> {
  const list = 'segments.csv';
  if (!overwrites)
    for (const each of [list, ...planned.map(({ folder, fileName }) => join(folder, fileName))])
      await requireAbsent(join(path, each), join(shownAs, each), 'folder');
  const root = await realpath(path);
  const made = new Map<string, Promise<void>>();
  return {
    listPath: join(path, list),
    listShownAs: join(shownAs, list),
    async put({ folder, fileName }, make) {
      const making = made.get(folder) ?? makeFolder(folder);
      made.set(folder, making);
      await making;
      const target = join(root, folder, fileName);
      // The rename replaces a link at the target instead of following it.
      const part = join(root, folder, `.${fileName}.part`);
      try {
        if (await make(part)) await rename(part, target).catch((error: unknown) => cannotWrite(target, error));
      } finally {
        await rm(part, { force: true });
      }
    },
  };

  async function makeFolder(name: string): Promise<void> {
    const folder = join(root, name);
    await mkdir(folder, { recursive: true }).catch((error: unknown) => cannotWrite(join(shownAs, name), error));
    // An existing link might lead anywhere.
    if ((await realpath(folder)) !== folder)
      throw new SetUpError(`${printable(join(shownAs, name))} is a link to another folder. Remove it, or choose another folder.`);
  }
}
