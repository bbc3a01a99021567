/** `node bench/src/write-measuring-page.ts` writes docs/measuring.md. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measuringPage } from './measuring-page.ts';

writeFileSync(join(import.meta.dirname, '../../docs/measuring.md'), measuringPage());
