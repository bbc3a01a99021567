import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rows } from '../apps/server/src/config/variables.ts';
import { pages } from './pages.ts';
import { root } from './process.ts';

it.each(Object.entries(pages))('%s is what `node tools/pages.ts` writes', (file, write) => {
  expect(readFileSync(join(root, file), 'utf8'), 'run node tools/pages.ts').toBe(write());
});

it('docs/configuration.md has a row for every environment variable', () => {
  for (const { name } of rows) expect(pages['docs/configuration.md']?.()).toContain(`| \`${name}\` |`);
});
