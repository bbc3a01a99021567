/** Writes the SQL of every repository for both databases: `node apps/server/src/testing/statements/write-statements.ts`. */
import { writeFile } from 'node:fs/promises';
import { statementFile, statementText } from './statement-files.ts';

const source = new URL('../../', import.meta.url);
for (const kind of ['sqlite', 'postgres'] as const)
  await writeFile(new URL(statementFile(kind), source), await statementText(kind));
