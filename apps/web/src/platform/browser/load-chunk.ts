/*
 * Runs every `import()` of the built page; it replaces Vite's own helper (`vite.config.ts`).
 *
 * Many browsers remember for the lifetime of a page that a module, or one that it imports, failed to load, and never request that address
 * again. So each file is first fetched as plain data, whose failures no browser remembers, and the module is imported only when all its
 * files are in the browser's cache.
 */

/** Time limit for one file. */
const LIMIT_MS = 120_000;

/** Files that have loaded or are loading; those that failed are removed. */
const files = new Map<string, Promise<void>>();
/** How often an import failed although its files had loaded. */
const failures = new Map<string, number>();

const isOnPage = (url: string): boolean =>
  document.querySelector(`[href="${url}"]:not([rel="preload"]), [src="${url}"]`) !== null;

function applyStyle(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.crossOrigin = '';
    link.href = url;
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => {
      link.remove();
      reject(new Error(`${url} could not be applied`));
    });
    document.head.append(link);
  });
}

async function fetchFile(url: string): Promise<void> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`);
  await answer.arrayBuffer();
  if (url.endsWith('.css')) await applyStyle(url);
}

function bring(url: string): Promise<void> {
  const known = files.get(url);
  if (known) return known;
  const coming = isOnPage(url) ? Promise.resolve() : fetchFile(url);
  files.set(url, coming);
  coming.catch(() => files.delete(url));
  return coming;
}

/**
 * Imports a module once all its files have loaded.
 *
 * @param paths files that it needs, from the root, the imported one first
 * @throws Error when one of them does not load within 120,000 ms; another call fetches what is missing
 */
export async function __vitePreload<Module>(importModule: () => Promise<Module>, paths: readonly string[] = []): Promise<Module> {
  const urls = paths.map((path) => `/${path}`);
  await Promise.all(urls.map(bring));
  const [url] = urls;
  if (url === undefined) return importModule();
  const failed = failures.get(url) ?? 0;
  try {
    // The browser may remember the failure under this address, so the next attempt uses another one.
    return await (failed === 0 ? importModule() : import(/* @vite-ignore */ `${url}?again=${failed}`));
  } catch (error) {
    failures.set(url, failed + 1);
    throw error;
  }
}
