import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './process.ts';

/** Lower it when an exception is removed; no change may raise it. */
const EXCEPTIONS = 62;

it('No more tests than before are exempt from the rule that tests neither sleep nor measure time (tools/steady-tests.grit)', () => {
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
