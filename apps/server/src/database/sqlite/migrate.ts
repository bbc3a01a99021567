import type Sqlite from 'better-sqlite3';
import { DatabaseError, schemaNewer } from '../database-error.ts';
import type { Migration } from '../migrations.ts';

/** `bird` in ASCII, in the header field by which SQLite tells one program's files from another's. */
const APPLICATION_ID = 0x62697264;

/**
 * Migrates the schema to its newest step, all or nothing: one transaction covers both the schema statements and the step counter
 * (`user_version`). Kysely's migrator cannot do that on SQLite.
 *
 * @returns the names of the steps that ran
 * @throws DatabaseError SCHEMA_NEWER, FILE_FOREIGN
 */
export function migrate(sqlite: Sqlite.Database, steps: readonly Migration[]): readonly string[] {
  // Immediate, so that the second of two programs that start together waits and finds the work done.
  return sqlite
    .transaction(() => {
      const found = readPragma(sqlite, 'user_version');
      if (found > 0 && readPragma(sqlite, 'application_id') !== APPLICATION_ID) throw foreignFile();
      if (found === 0 && hasTables(sqlite)) throw foreignFile();
      if (found > steps.length) throw schemaNewer(found, steps.length);
      const missing = steps.slice(found);
      for (const step of missing) {
        sqlite.exec('index' in step ? `CREATE INDEX ${step.index} ON ${step.on}` : `${step.sql}${step.onSqlite ?? ''}`);
      }
      if (missing.length > 0) {
        sqlite.pragma(`application_id = ${APPLICATION_ID}`);
        sqlite.pragma(`user_version = ${steps.length}`);
      }
      return missing.map(({ name }) => name);
    })
    .immediate();
}

/** The step of our database; 0 if it is still empty or not ours. */
export function stepOf(sqlite: Sqlite.Database): number {
  return readPragma(sqlite, 'application_id') === APPLICATION_ID ? readPragma(sqlite, 'user_version') : 0;
}

function foreignFile(): DatabaseError {
  return new DatabaseError(
    'FILE_FOREIGN',
    'The database file belongs to another program. Choose another DATA_DIR, or move the file away.',
  );
}

export function hasTables(sqlite: Sqlite.Database): boolean {
  return sqlite.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function readPragma(sqlite: Sqlite.Database, name: 'user_version' | 'application_id'): number {
  return Number(sqlite.pragma(name, { simple: true }));
}
