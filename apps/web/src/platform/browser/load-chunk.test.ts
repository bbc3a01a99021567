import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// A fresh module for each test, which knows no fetched files.
let loadChunk: typeof import('./load-chunk.ts').__vitePreload;
let fetched: string[];
let failing: Set<string>;

beforeEach(async () => {
  vi.resetModules();
  loadChunk = (await import('./load-chunk.ts')).__vitePreload;
  fetched = [];
  failing = new Set();
  vi.stubGlobal('fetch', async (url: string) => {
    fetched.push(url);
    return failing.has(url) ? new Response('', { status: 503 }) : new Response('export {}');
  });
});

/** Makes style sheets load or fail: the test DOM never fetches them. */
function letStylesCome(come: boolean): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } } };
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = come;
}
const paths = ['assets/screen-1.js', 'assets/used-2.js', 'assets/screen-3.css'];

describe('A part of the page that is loaded on demand', () => {
  beforeEach(() => {
    // A preload only fills the browser's cache: such a file is still fetched from there, and its style applied.
    document.head.innerHTML =
      '<link rel="modulepreload" href="/assets/page-0.js"><link rel="preload" href="/assets/screen-3.css" as="style">';
    letStylesCome(true);
  });
  afterEach(() => {
    document.head.innerHTML = '';
    letStylesCome(false);
  });

  it('is imported when all its files have been loaded, each once', async () => {
    const importModule = vi.fn(async () => ({ Screen: 'here' }));
    const loading = loadChunk(importModule, [...paths, 'assets/page-0.js']);
    expect(importModule).not.toHaveBeenCalled();
    expect(await loading).toEqual({ Screen: 'here' });
    expect(fetched).toEqual(['/assets/screen-1.js', '/assets/used-2.js', '/assets/screen-3.css']);
    expect(document.querySelectorAll('link[rel="stylesheet"][href="/assets/screen-3.css"]')).toHaveLength(1);
    await loadChunk(importModule, paths);
    expect(fetched).toHaveLength(3);
  });

  it('is not imported if one of its files is missing, which is loaded again on the next try', async () => {
    const importModule = vi.fn(async () => ({}));
    failing.add('/assets/used-2.js');
    await expect(loadChunk(importModule, paths)).rejects.toThrow('/assets/used-2.js was answered with 503');
    expect(importModule).not.toHaveBeenCalled();
    failing.clear();
    await loadChunk(importModule, paths);
    expect(importModule).toHaveBeenCalledTimes(1);
    expect(fetched.filter((url) => url === '/assets/used-2.js')).toHaveLength(2);
    expect(fetched.filter((url) => url === '/assets/screen-1.js')).toHaveLength(1);
  });

  it('is not shown without its style sheets, which are loaded again', async () => {
    const importModule = vi.fn(async () => ({}));
    letStylesCome(false);
    await expect(loadChunk(importModule, paths)).rejects.toThrow('/assets/screen-3.css could not be applied');
    expect(document.querySelector('link[rel="stylesheet"]')).toBeNull();
    expect(importModule).not.toHaveBeenCalled();
    letStylesCome(true);
    await loadChunk(importModule, paths);
    expect(document.querySelectorAll('link[rel="stylesheet"]')).toHaveLength(1);
  });

  it('fails to load if that takes longer than 120,000 ms', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
      AbortSignal.abort(new DOMException(`after ${ms} ms`, 'TimeoutError')),
    );
    vi.stubGlobal('fetch', async (_url: string, { signal }: RequestInit) => {
      signal?.throwIfAborted();
      return new Response('export {}');
    });
    await expect(loadChunk(async () => 'here', paths)).rejects.toThrow('after 120000 ms');
  });

  it('is imported if it has no further files', async () => {
    expect(await loadChunk(async () => 'here')).toBe('here');
  });
});
