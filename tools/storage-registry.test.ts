import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './process.ts';

const rule = './tools/storage-registry.grit';

interface Configuration {
  readonly overrides: readonly { readonly includes: readonly string[]; readonly plugins?: readonly string[] }[];
}

/** Ways to the browser's storage, each in a line of its own. */
const forbidden = [
  "const a = caches.open('answers');",
  "const b = await caches.has('answers');",
  "const c = self.caches.match('/x');",
  "const d = window.localStorage.getItem('x');",
  "localStorage.setItem('x', 'y');",
  'globalThis.sessionStorage?.clear();',
  "window['localStorage'].clear();",
  'const { localStorage: items } = window;',
  'const { storage: { getDirectory } } = navigator;',
  'const e = await navigator.storage.getDirectory();',
  'const f = navigator.storage?.getDirectory?.();',
  "const g = indexedDB.open('x');",
  "const h = window.indexedDB.deleteDatabase('x');",
  "document.cookie = 'x=y';",
  "cookieStore.set('x', 'y');",
  'const i = [sessionStorage];',
];
const forbiddenImport = "import { type DBSchema, openDB } from 'idb';";
const allowed = [
  "const j = 'caches' in window && 'getDirectory' in navigator.storage;",
  "const k = readItem('localStorage', 'place');",
  "const l = await folder.getDirectoryHandle('x');",
  '// localStorage, caches and cookies are only mentioned.',
  "import type { DBSchema } from 'idb';",
];

/** The lines of a file in which the linter finds that storage is opened, with this rule as the repository's configuration applies it. */
async function foundIn(path: string, lines: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-lint-'));
  try {
    const { overrides }: Configuration = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
    const own = overrides.filter(({ plugins }) => plugins?.includes(rule));
    const applied = own.map(({ includes }) => ({ includes, plugins: [join(root, rule)] }));
    const configuration = { root: true, linter: { rules: { preset: 'none' } }, overrides: applied };
    await writeFile(join(folder, 'biome.json'), JSON.stringify(configuration));
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), lines.join('\n'));
    const options = ['--reporter=github', '--max-diagnostics=none', `--config-path=${folder}`];
    const { stdout } = spawnSync('biome', ['lint', ...options, folder], { encoding: 'utf8' });
    const found = [...stdout.matchAll(/^::error title=plugin,.*?line=(\d+),/gm)];
    return [...new Set(found.map(([, line]) => lines[Number(line) - 1] ?? ''))].toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
}

it.each(['apps/web/src/features/listen/example.ts', 'packages/recognizer/src/web/example.ts'])(
  'The browser’s storage is opened only by its registry: the linter finds every other way to it in %s',
  async (path) => {
    expect(await foundIn(path, [forbiddenImport, ...allowed, ...forbidden])).toEqual([forbiddenImport, ...forbidden].toSorted());
  },
);

it.each([
  'apps/web/src/platform/storage/registry.ts',
  'apps/web/src/features/example.test.ts',
  'apps/web/src/testing/example.ts',
])('The linter lets the browser’s storage be opened in %s', async (path) => {
  expect(await foundIn(path, [forbiddenImport, ...forbidden])).toEqual([]);
});
