/*
 * How the built page carries out every `import()`; it takes the place of Vite's own helper (`vite.config.ts`).
 *
 * Many browsers remember for as long as a page lives that a module, or one that it imports, did not load, and never ask for that address
 * again. So each file is fetched as plain data before, which no browser remembers, and imported only when all are in the browser's cache.
 */

/** Longest that a file may take. */
const LIMIT_MS = 120_000;

/** Files that are here or on their way; one that did not come is not among them. */
const files = new Map<string, Promise<void>>();
/** How often an import failed although its files had come. */
const failures = new Map<string, number>();

const isOnPage = (url: string): boolean => document.querySelector(`[href="${url}"], [src="${url}"]`) !== null;

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
 * Imports a part of the page once all its files have come.
 *
 * @param paths files that it needs, from the root, the imported one first
 * @throws Error when one of them does not come, within 120,000 ms; another call fetches what is missing
 */
export async function __vitePreload<Module>(importModule: () => Promise<Module>, paths: readonly string[] = []): Promise<Module> {
  const urls = paths.map((path) => `/${path}`);
  await Promise.all(urls.map(bring));
  const [url] = urls;
  if (url === undefined) return importModule();
  const failed = failures.get(url) ?? 0;
  try {
    // What has failed may be remembered under its address: under another one it is asked for.
    return await (failed === 0 ? importModule() : import(/* @vite-ignore */ `${url}?again=${failed}`));
  } catch (error) {
    failures.set(url, failed + 1);
    throw error;
  }
}
