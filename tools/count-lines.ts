/** `npm run lines`: counts the lines of files tracked by git, by package or app and kind. Prints a table, or JSON with `--json`. */
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { root, runQuietly } from './process.ts';

const kinds = ['source', 'tests', 'test support', 'styles', 'data'] as const;
type Kind = (typeof kinds)[number];
export type Counts = Readonly<Record<Kind, number>>;

const code = new Set(['.ts', '.tsx', '.mjs', '.py']);
const data = new Set(['.json', '.tsv', '.txt', '.html', '.svg']);

/** The kind of a file; null for manifests, documents and binary files. */
export function kindOf(file: string): Kind | null {
  const name = basename(file);
  if (name === 'package.json' || name.startsWith('tsconfig')) return null;
  const extension = extname(name);
  if (extension === '.css') return 'styles';
  if (data.has(extension) || name.includes('.generated.')) return 'data';
  if (!code.has(extension)) return null;
  if (/\.test\.tsx?$/.test(name)) return 'tests';
  return file.includes('/testing/') || name.startsWith('fake-') ? 'test support' : 'source';
}

/** The row of a file: its app or package, or `bench`, `e2e` or `tools`; null for other files. */
export function rowOf(file: string): string | null {
  const [top = '', name = ''] = file.split('/');
  if (top === 'apps' || top === 'packages') return `${top}/${name}`;
  return ['bench', 'e2e', 'tools'].includes(top) ? top : null;
}

const nothing: Counts = { source: 0, tests: 0, 'test support': 0, styles: 0, data: 0 };

/** Lines of each row, by kind. */
export function countLines(files: ReadonlyMap<string, string>): ReadonlyMap<string, Counts> {
  const rows = new Map<string, Counts>();
  for (const [file, text] of files) {
    const row = rowOf(file);
    const kind = kindOf(file);
    if (row === null || kind === null) continue;
    const counts = rows.get(row) ?? nothing;
    rows.set(row, { ...counts, [kind]: counts[kind] + text.split('\n').length - (text.endsWith('\n') ? 1 : 0) });
  }
  return rows;
}

/** The rows as a table, with a sum of apps and packages, the figure that counts as the project's size. */
export function writeTable(rows: ReadonlyMap<string, Counts>): string {
  const product = [...rows].filter(([row]) => row.includes('/'));
  const sum = product.reduce<Counts>(
    (total, [, counts]) => Object.fromEntries(kinds.map((kind) => [kind, total[kind] + counts[kind]])) as Counts,
    nothing,
  );
  const beside = [...rows].filter(([row]) => !row.includes('/'));
  const table = [...product, ['apps + packages', sum] as const, ...beside];
  const line = (name: string, cells: readonly string[]) => `${name.padEnd(22)}${cells.map((cell) => cell.padStart(14)).join('')}`;
  return [
    line('', kinds),
    ...table.map(([row, counts]) =>
      line(
        row,
        kinds.map((kind) => String(counts[kind])),
      ),
    ),
  ].join('\n');
}

if (import.meta.main) {
  const { output } = await runQuietly('git', ['ls-files', 'apps', 'packages', 'bench', 'e2e', 'tools']);
  const files = output.trim().split('\n').sort();
  const rows = countLines(new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
  process.stdout.write(
    process.argv.includes('--json') ? `${JSON.stringify(Object.fromEntries(rows))}\n` : `${writeTable(rows)}\n`,
  );
}
