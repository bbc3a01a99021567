import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetUpError } from '../command-error.ts';

/** A file of the page, ready to be served. */
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

/** The built page: it is served as files, and nothing is imported from it. */
const builtPage = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/**
 * The files of the review page by request path; no other path is served.
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
