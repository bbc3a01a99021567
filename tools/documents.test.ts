import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './process.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = files.filter((path) => /^(README|CONTRIBUTING|SECURITY|docs\/[\w-]+)\.md$/.test(path));
/** Files that the server or its operator writes, and placeholders: not in the repository. */
const notHere = /^(data\/|chiffchaff\.|keys\/|\/|~|https?:)|DATA_DIR|NAME|<|\*|…/;

it.each(documents)('%s names only files that exist', (document) => {
  const named = [...read(document).matchAll(/`([\w@./-]+\/[\w.-]+\.(?:ts|tsx|mjs|py|md|css|env|service|json))`/g)].flatMap(
    ([, path = '']) => path,
  );
  const missing = named.filter(
    (path) => !notHere.test(path) && !files.some((file) => file === path || file.endsWith(`/${path}`)),
  );
  expect(missing).toEqual([]);
});

/** @throws Error if the file has no such constant with a plain number */
function constantOf(file: string, constant: string): number {
  const value = new RegExp(`(?:const ${constant} =|  ${constant}:) ([\\d_.]+)[;,]`).exec(read(file))?.[1];
  if (value === undefined) throw new Error(`${file} has no constant ${constant}`);
  return Number(value.replaceAll('_', ''));
}

/** Figures quoted in documents: the document, the sentence with `{}` for the figure, the file and constant, and a divisor. */
const quoted: readonly (readonly [document: string, sentence: string, file: string, constant: string, per?: number])[] = [
  ['docs/architecture.md', 'the best {} detections', 'packages/contract/src/prediction.ts', 'MOST_DETECTIONS'],
  ['docs/operations.md', 'work in progress gets {} seconds', 'apps/server/src/parts/listener.ts', 'GRACE_MS', 1000],
  [
    'docs/decisions/0010-predictions-are-jobs-in-the-database.md',
    "An owner's recordings above {} MB",
    'apps/server/src/prediction/queue/turns.ts',
    'LARGE_BYTES',
    1e6,
  ],
];

for (const [document, sentence, file, constant, per = 1] of quoted) {
  it(`${document} states the number that the code has in “${sentence}”`, () => {
    const figure = (constantOf(file, constant) / per).toLocaleString('en');
    expect(read(document).replace(/\s+/g, ' ')).toContain(sentence.replace('{}', figure));
  });
}

it('docs/page.md lists what the page stores as its registry does', () => {
  const [, entries = ''] =
    /const stored = \{([\s\S]+?)\n\} as const/.exec(read('apps/web/src/platform/storage/registry.ts')) ?? [];
  const registered = [...entries.matchAll(/['"]?([\w-]+)['"]?: (?:of[A-Z]|\{ \.\.\.of)/g)].map(([, name]) => name);
  const [, table = ''] = /## What stays on a device\n([\s\S]+?)\n\n- /.exec(read('docs/page.md')) ?? [];
  const rows = [...table.matchAll(/^\| [\w ]*\| (`.+?) \|/gm)].flatMap(([, cell = '']) => cell.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
  expect(registered.length).toBeGreaterThan(15);
  expect(rows.toSorted()).toEqual(registered.toSorted());
});

const figures = [...read('docs/architecture.md').matchAll(/^\| .* \| ([\d.,]+) \| `(\w+)` in `([^`]+)` \|$/gm)];

it('docs/architecture.md has the eight figures that are compared with the code', () => {
  expect(figures).toHaveLength(8);
});

it.each(figures.map(([, figure = '', constant = '', file = '']) => ({ figure, constant, file })))(
  'docs/architecture.md states $constant as in the code: $figure',
  ({ figure, constant, file }) => {
    expect(constantOf(file, constant).toLocaleString('en')).toBe(figure);
  },
);
