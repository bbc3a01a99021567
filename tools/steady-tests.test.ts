import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './process.ts';

/** Lower it when an exception is removed; no change may raise it. */
const EXCEPTIONS = 62;

it('Tests sleep and measure in no more places than tools/steady-tests.grit allows', () => {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts', '*.test.tsx', 'e2e/*.ts'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const paths = files.split('\n').filter((path) => path !== '' && !path.startsWith('tools/'));
  const found = paths.flatMap((path) => readFileSync(join(root, path), 'utf8').match(/biome-ignore lint\/plugin: .+/g) ?? []);
  expect(found.length, 'places with a biome-ignore for steady-tests.grit').toBe(EXCEPTIONS);
});
