/** `node apps/cli/src/write-command-page.ts` writes docs/command-line.md. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandPage } from './command-page.ts';

writeFileSync(join(import.meta.dirname, '../../../docs/command-line.md'), commandPage());
