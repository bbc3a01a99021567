import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { compareStorage, describeLost, describeStray } from '../../../storage/compare-storage.ts';
import { openFolderStorage } from '../../../storage/folder-storage.ts';
import { DatabaseError } from '../../database-error.ts';
import type { Tables } from '../../tables.ts';
import { readDataMarker } from '../data-marker.ts';
import { isServed } from '../lock-data-folder.ts';
import { stepOf } from '../migrate.ts';
import { DATABASE_FILE_NAME } from '../open-sqlite.ts';
import { explainSqlite, findDamage } from '../sqlite-error.ts';

/** The result of checking a data folder or a backup of one. */
export interface DataReport {
  readonly step: number;
  /** rows of each table; empty if the file is damaged or empty */
  readonly rows: Readonly<Record<string, number>>;
  /** Damaged or lost data; empty if there is none. */
  readonly faults: readonly string[];
  /** Files without an owner, for example after a crash; the next start deletes them. */
  readonly leftovers: readonly string[];
}

type FileReport = Pick<DataReport, 'faults' | 'leftovers'>;

/** Enough time for files that are written or deleted right after their row. */
const SECOND_LOOK_MS = 2000;

/**
 * Checks every page and every reference of a data folder's database, and compares it with the files of the folder. Changes nothing.
 *
 * @param pause before it looks at files a second time; for tests
 * @throws DatabaseError FILE_MISSING, DISK_FULL, or what `readDataMarker` throws
 */
export async function checkData(folder: string, pause = () => wait(SECOND_LOOK_MS)): Promise<DataReport> {
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
    const { faults, leftovers } = await checkFiles(folder, sqlite, pause);
    return { step, rows: countRows(sqlite), faults: [...dangling, ...faults], leftovers };
  } catch (error) {
    throw explainSqlite(error, DATABASE_FILE_NAME);
  } finally {
    sqlite.close();
  }
}

/**
 * Compares the files of recordings and kept audio with the rows that own them. A server may be using the folder: a difference counts only if
 * it still exists a moment later, and incoming uploads of a running server are ignored.
 */
async function checkFiles(folder: string, sqlite: Sqlite.Database, pause: () => Promise<void>): Promise<FileReport> {
  const first = await lookAtFiles(folder, sqlite);
  if (first.faults.length + first.leftovers.length === 0) return first;
  await pause();
  const second = await lookAtFiles(folder, sqlite);
  return {
    faults: second.faults.filter((fault) => first.faults.includes(fault)),
    leftovers: second.leftovers.filter((leftover) => first.leftovers.includes(leftover)),
  };
}

async function lookAtFiles(folder: string, sqlite: Sqlite.Database): Promise<FileReport> {
  const query = new Kysely<Tables>({ dialect: new SqliteDialect({ database: sqlite }) });
  const { lost, strays } = await compareStorage({ storage: openFolderStorage(folder), query });
  // A start deletes leftovers, so a running server's recordings without a row are arriving.
  const left = isServed(folder) ? strays.filter(({ name }) => !name.startsWith('uploads/')) : strays;
  return {
    faults: lost.map(describeLost),
    leftovers: [...left.map(describeStray), ...['.', 'keys'].flatMap((name) => halfWritten(folder, name))],
  };
}

const halfWritten = (folder: string, name: string): string[] =>
  existsSync(join(folder, name))
    ? readdirSync(join(folder, name)).flatMap((file) => (file.endsWith('.part') ? [`${join(name, file)} is unfinished`] : []))
    : [];

function countRows(sqlite: Sqlite.Database): Record<string, number> {
  const names = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all();
  const count = (name: string) => Number(sqlite.prepare(`SELECT count(*) FROM ${name}`).pluck().get());
  return Object.fromEntries(names.map((name) => [name, count(name)]));
}
