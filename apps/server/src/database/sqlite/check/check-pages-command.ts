/** Prints `ok`, or what is wrong with the pages of a database: `node check-pages-command.ts FILE`. */
import Sqlite from 'better-sqlite3';
import { findDamage } from '../sqlite-error.ts';

const sqlite = new Sqlite(process.argv[2], { readonly: true });
process.stdout.write(findDamage(sqlite, 'quick_check').join('\n') || 'ok');
