/** Writes `docs/configuration.md` and `.env.example`: `node apps/server/src/write-config-pages.ts`. */
import { writeFile } from 'node:fs/promises';
import { configurationPage, environmentExample } from './config-pages.ts';

const root = new URL('../../../', import.meta.url);
await writeFile(new URL('docs/configuration.md', root), configurationPage());
await writeFile(new URL('.env.example', root), environmentExample());
