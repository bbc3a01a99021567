import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { adminPage } from './admin-page.ts';

it('docs/admin.md says what the commands say', async () => {
  const written = await readFile(new URL('../../../../docs/admin.md', import.meta.url), 'utf8');
  expect(written, 'run node apps/server/src/write-pages.ts').toBe(adminPage());
});
