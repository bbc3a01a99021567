import { expect, it } from 'vitest';
import { countLines, kindOf, writeTable } from './count-lines.ts';

it.each([
  ['apps/server/src/main.ts', 'source'],
  ['apps/web/src/page.tsx', 'source'],
  ['apps/web/src/page.test.tsx', 'tests'],
  ['apps/web/src/page.css', 'styles'],
  ['apps/server/src/testing/wav.ts', 'test support'],
  ['apps/server/src/testing/wav.test.ts', 'tests'],
  ['apps/cli/src/identify/fake-analyzer.ts', 'test support'],
  ['apps/server/src/testing.ts', 'source'],
  ['packages/recognizer/src/table.json', 'data'],
  ['packages/recognizer/package.json', null],
  ['apps/web/icon.png', null],
])('The count of source lines counts %s as %s', (file, kind) => {
  expect(kindOf(file)).toBe(kind);
});

it('The count of source lines adds up apps and packages, and leaves other folders out of the sum', () => {
  const rows = countLines(
    new Map([
      ['apps/server/src/a.ts', 'one\ntwo\n'],
      ['apps/server/src/a.test.ts', 'one\n'],
      ['packages/contract/src/b.ts', 'one\ntwo\nthree'],
      ['tools/c.ts', 'one\n'],
      ['docs/d.ts', 'one\n'],
    ]),
  );
  expect(Object.fromEntries([...rows].map(([row, { source, tests }]) => [row, [source, tests]]))).toEqual({
    'apps/server': [2, 1],
    'packages/contract': [3, 0],
    tools: [1, 0],
  });
  expect(writeTable(rows)).toMatch(/^apps \+ packages\s+5\s+1\s+0\s+0\s+0$/m);
});
