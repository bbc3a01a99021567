import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { adminPage } from './admin-page.ts';

it('docs/admin.md is what write-pages.ts generates from the admin commands', async () => {
  const written = await readFile(new URL('../../../../docs/admin.md', import.meta.url), 'utf8');
  expect(written, 'run node apps/server/src/write-pages.ts').toBe(adminPage());
});
