import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DatabaseError } from '../../database-error.ts';
import { readDataMarker } from '../data-marker.ts';
import { stepOf } from '../migrate.ts';
import { DATABASE_FILE_NAME } from '../open-sqlite.ts';
import { findDamage } from '../sqlite-error.ts';
import { checkFiles } from './check-files.ts';

/** The result of checking a data folder or a backup of one. */
export interface DataReport {
  readonly step: number;
  /** rows of each table; empty if the file is damaged or empty */
  readonly rows: Readonly<Record<string, number>>;
  /** Damaged or lost data; empty if there is none. */
  readonly faults: readonly string[];
  /** Files and rows without an owner, for example after a crash; the next start deletes them. */
  readonly leftovers: readonly string[];
}

/**
 * Checks every page and every reference of a data folder's database, and compares it with the files of the folder. Changes nothing.
 *
 * @throws DatabaseError FILE_MISSING, or what `readDataMarker` throws
 */
export function checkData(folder: string): DataReport {
  readDataMarker(folder);
  const path = join(folder, DATABASE_FILE_NAME);
  if (!existsSync(path)) throw new DatabaseError('FILE_MISSING', `There is no ${DATABASE_FILE_NAME} in ${folder}.`);
  const sqlite = new Sqlite(path, { readonly: true });
  try {
    const damage = findDamage(sqlite, 'integrity_check');
    const step = stepOf(sqlite);
    if (damage.length === 0 && step === 0) damage.push(`${DATABASE_FILE_NAME} is empty`);
    // Such a file cannot be queried.
    if (damage.length > 0) return { step, rows: {}, faults: damage, leftovers: [] };
    const references = sqlite.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[];
    const dangling = references.map(
      ({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`,
    );
    const { faults, leftovers } = checkFiles(folder, sqlite);
    return { step, rows: countRows(sqlite), faults: [...dangling, ...faults], leftovers };
  } finally {
    sqlite.close();
  }
}

function countRows(sqlite: Sqlite.Database): Record<string, number> {
  const names = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all();
  const count = (name: string): number =>
    sqlite
      .prepare<[], number>(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
      .pluck()
      .get() ?? 0;
  return Object.fromEntries(names.map((name) => [name, count(name)]));
}
