import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandPage } from './command-page.ts';

it('docs/command-line.md is what write-command-page.ts generates from the commands', async () => {
  const written = await readFile(join(import.meta.dirname, '../../../docs/command-line.md'), 'utf8');
  expect(written, 'run node apps/cli/src/write-command-page.ts').toBe(commandPage());
});
