/** Holds the write lock of a data folder's database: `node hold-write-lock.ts DATA_DIR SECONDS`. Prints `locked` once it has the lock. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const [, , dataDir = '', seconds = '20'] = process.argv;
const Sqlite = createRequire(new URL('../../../../../apps/server/package.json', import.meta.url))('better-sqlite3');
const sqlite = new Sqlite(join(dataDir, 'chiffchaff.sqlite'));
sqlite.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
await wait(Number(seconds) * 1000);
sqlite.exec('ROLLBACK');
sqlite.close();
