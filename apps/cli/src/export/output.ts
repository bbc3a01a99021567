import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ExportFile } from '@chiffchaff/survey/exports';
import { ZipFile } from 'yazl';
import { InputError } from '../command-error.ts';
import { cannotWrite } from '../files.ts';

/** The files of a package; a folder with any other file is not an earlier export. */
const PACKAGE = ['datapackage.json', 'deployments.csv', 'media.csv', 'observations.csv'];

/** @throws InputError when `path` exists and may not be replaced */
export async function requireVacant(
  path: string,
  shownAs: string,
  { isFolder, overwrites }: { readonly isFolder: boolean; readonly overwrites: boolean },
): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (found.isDirectory() !== isFolder)
    throw new InputError(
      `${shownAs} is a ${isFolder ? 'file' : 'folder'}; this format is written to a ${isFolder ? 'folder' : 'file'}.`,
    );
  const others = isFolder ? (await readdir(path)).filter((name) => !PACKAGE.includes(name)) : [];
  if (others.length > 0)
    throw new InputError(`${shownAs} has other files in it, such as ${others[0]}. Give a folder that is not there yet.`);
  const isEmpty = isFolder && (await readdir(path)).length === 0;
  if (!overwrites && !isEmpty) throw new InputError(`${shownAs} is there already; --overwrite replaces it.`);
}

/** Writes all files under temporary names, then renames them. @throws SetUpError */
export async function writeFiles(
  files: readonly { readonly path: string; readonly content: string | Buffer }[],
  shownAs: string,
): Promise<void> {
  const parts = files.map(({ path }) => `${path}.part`);
  try {
    for (const { path, content } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.part`, content, { flush: true });
    }
    for (const { path } of files) await rename(`${path}.part`, path);
  } catch (error) {
    for (const part of parts) await rm(part, { force: true });
    cannotWrite(shownAs, error);
  }
}

/** Likewise for a folder: an earlier one is replaced only once the new one is complete. @throws SetUpError */
export async function writeFolder(path: string, shownAs: string, files: readonly ExportFile[]): Promise<void> {
  let written: string | null = null;
  try {
    await mkdir(dirname(path), { recursive: true });
    written = await mkdtemp(join(dirname(path), `${basename(path)}.part-`));
    const [fresh, earlier] = [join(written, 'new'), join(written, 'earlier')];
    await mkdir(fresh);
    for (const { name, text } of files) await writeFile(join(fresh, name), text, { flush: true });
    const isThere = await stat(path).catch(() => null);
    if (isThere) await rename(path, earlier);
    await rename(fresh, path).catch(async (error: unknown) => {
      if (isThere) await rename(earlier, path);
      throw error;
    });
  } catch (error) {
    cannotWrite(shownAs, error);
  } finally {
    if (written !== null) await rm(written, { recursive: true, force: true });
  }
}

export async function zipped(files: readonly ExportFile[], now: Date): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, text } of files) zip.addBuffer(Buffer.from(text), name, { mtime: now });
  zip.end();
  return buffer(zip.outputStream);
}
