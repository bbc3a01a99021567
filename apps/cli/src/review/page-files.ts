import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetUpError } from '../command-error.ts';

/** A file of the page, as it is served. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly type: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
};

/** Where the build of the page is: it is served as files, and nothing of it is imported. */
const builtPage = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/**
 * The files that the page of a review is made of, by the paths that they are asked for: a request names one of these or nothing.
 * @throws SetUpError when the page has not been built
 */
export async function readPageFiles(folder = builtPage): Promise<ReadonlyMap<string, () => Promise<PageFile>>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = new Map<string, () => Promise<PageFile>>();
  for (const name of names) {
    const path = `/${name.split(sep).join('/')}`;
    const type = types[extname(name)];
    if (type === undefined || !(path.startsWith('/assets/') || path === '/review.html' || path === '/favicon.svg')) continue;
    files.set(path === '/review.html' ? '/' : path, async () => ({ bytes: await readFile(join(folder, name)), type }));
  }
  if (!files.has('/')) throw new SetUpError('The page is not built yet. Run npm start once.');
  return files;
}
