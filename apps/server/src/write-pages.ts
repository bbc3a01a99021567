/**
 * Generates the pages that come from code, `docs/admin.md`, `docs/configuration.md`, `docs/problems.md` and `.env.example`: `node
 * apps/server/src/write-pages.ts`.
 */
import { writeFile } from 'node:fs/promises';
import { adminPage } from './admin/admin-page.ts';
import { configurationPage, environmentExample } from './config/pages.ts';
import { problemsPage } from './http/problems-page.ts';

const root = new URL('../../../', import.meta.url);
await writeFile(new URL('docs/admin.md', root), adminPage());
await writeFile(new URL('docs/configuration.md', root), configurationPage());
await writeFile(new URL('docs/problems.md', root), problemsPage());
await writeFile(new URL('.env.example', root), environmentExample());
