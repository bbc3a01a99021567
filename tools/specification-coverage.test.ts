import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needsSharedFolder, sharedPath } from '@chiffchaff/testing/shared-folder';
import { describe, expect, it } from 'vitest';
import { root } from './process.ts';

/** One row of docs/specification-coverage.md. */
interface Row {
  readonly section: string;
  readonly says: string;
  readonly implemented: string;
  readonly proven: string;
}

const text = readFileSync(join(root, 'docs/specification-coverage.md'), 'utf8');

/** The rows of all tables with the heading above them; without table headers and separators. */
function readRows(page: string): Row[] {
  let section = '';
  const rows: Row[] = [];
  for (const line of page.split('\n')) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '');
    const [, says, implemented, proven] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (!line.startsWith('|') || says === undefined || /^-+$/.test(says) || says === 'Specification') continue;
    rows.push({ section, says, implemented: implemented ?? '', proven: proven ?? '' });
  }
  return rows;
}

const rows = readRows(text);
const pathsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+\.[a-z]+)`/g)].map(([, path]) => path ?? '');

describe('docs/specification-coverage.md', () => {
  it('has more than seventy rows', () => {
    expect(rows.length).toBeGreaterThan(70);
  });

  it.each(rows)('names existing files that implement $section: "$says"', ({ implemented }) => {
    const paths = pathsIn(implemented);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it.each(rows)('names an existing test that proves $section: "$says"', ({ proven }) => {
    const [, path = '', name = ''] = /^`([^`]+\.test\.tsx?)` › (\S.*)$/.exec(proven) ?? [];
    expect(path, proven).not.toBe('');
    const tests = readFileSync(join(root, path), 'utf8');
    expect(/\bskip\(|\.only\(/.test(tests)).toBe(false);
    expect(tests).toContain(name);
  });

  it('has as many rows for each section as the specification', (context) => {
    needsSharedFolder(context);
    const asked = new Map<string, number>();
    let section = '';
    let inTable = false;
    for (const line of readFileSync(sharedPath('spec/specification.md'), 'utf8').split('\n')) {
      if (line.startsWith('#')) section = line.replace(/^#+ /, '');
      const isRow = line.startsWith('|') && inTable && !line.startsWith('|--') && !line.startsWith('|-');
      inTable = line.startsWith('|');
      if (line.startsWith('- ') || isRow) asked.set(section, (asked.get(section) ?? 0) + 1);
    }
    const missing = [...asked].filter(([name, count]) => rows.filter((row) => row.section === name).length < count);
    expect(missing).toEqual([]);
  });
});
