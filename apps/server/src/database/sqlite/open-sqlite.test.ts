import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../migrations.ts';
import { openSqlite } from './open-sqlite.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-database-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = () => join(folder, 'chiffchaff.sqlite');

describe('Opening the SQLite database (`openSqlite`)', () => {
  it('makes every change wait until it is on the disk, except changes declared as light', async () => {
    const database = openSqlite(folder);
    const synchronous = async (query = database.query) =>
      (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(query)).rows[0]?.synchronous;
    expect(await synchronous()).toBe(2);
    const [within, beside] = await Promise.all([database.change({ light: true }, (query) => synchronous(query)), synchronous()]);
    expect({ within, beside }).toEqual({ within: 1, beside: 2 });
    await expect(database.change({ light: true }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await synchronous()).toBe(2);
    await database.close();
  });

  it('creates a database, and opens it again without changing the schema', async () => {
    const first = openSqlite(folder);
    expect(first.migrated).toEqual(migrations.map(({ name }) => name));
    await first.change({}, (query) =>
      query.insertInto('termsAcceptances').values({ accountId: 'a', version: '1', acceptedAtMs: 1 }).execute(),
    );
    await first.close();
    const second = openSqlite(folder);
    expect(second.migrated).toEqual([]);
    expect(await second.query.selectFrom('termsAcceptances').selectAll().execute()).toHaveLength(1);
    await second.close();
  });

  it('creates no index that uses strftime, which SQLite shells before 3.44 report as damage', async () => {
    const database = openSqlite(folder);
    const indexes = sql<{ sql: string | null }>`SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`;
    const { rows } = await indexes.execute(database.query);
    expect(rows).not.toEqual([]);
    expect(rows.filter(({ sql: text }) => text?.includes('strftime'))).toEqual([]);
    await database.close();
  });

  it('sets SQLite to keep acknowledged rows through a power cut and to enforce references', async () => {
    const database = openSqlite(folder);
    const setting = async (name: string) => {
      const pragma = sql.raw<Record<string, unknown>>(`PRAGMA ${name}`);
      const { rows } = await database.change({}, (query) => pragma.execute(query));
      return Object.values(rows[0] ?? {})[0];
    };
    expect(await setting('journal_mode')).toBe('wal');
    expect(await setting('synchronous')).toBe(2);
    expect(await setting('foreign_keys')).toBe(1);
    await database.close();
  });

  it('creates a database that no other user of the machine can read', async () => {
    const database = openSqlite(folder);
    await database.change({}, (query) =>
      query.insertInto('termsAcceptances').values({ accountId: 'a', version: '1', acceptedAtMs: 1 }).execute(),
    );
    for (const name of ['chiffchaff.sqlite', 'chiffchaff.sqlite-wal', 'chiffchaff-data.json']) {
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    }
    await database.close();
  });

  it('refuses a database that a newer version wrote', async () => {
    await openSqlite(folder, [...migrations, { name: '9999-later', sql: 'CREATE TABLE later (id TEXT)' }]).close();
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'SCHEMA_NEWER' }));
  });

  it('refuses an empty database in a data folder that was in use, and says where it is', async () => {
    await openSqlite(folder).close();
    for (const name of readdirSync(folder)) if (name.startsWith('chiffchaff.sqlite')) rmSync(join(folder, name));
    writeFileSync(file(), '');
    expect(() => openSqlite(folder)).toThrow(
      expect.objectContaining({ code: 'FILE_EMPTY', message: expect.stringContaining(file()) }),
    );
  });

  it('applies the schema steps that an older database lacks, in order, and none that is for PostgreSQL', async () => {
    await openSqlite(folder).close();
    const table = {
      name: '9998-table',
      sql: 'CREATE TABLE later (id TEXT);',
      onSqlite: 'CREATE TABLE onSqlite (id TEXT);',
      onPostgres: 'CREATE TABLE onPostgres (id TEXT);',
    };
    const database = openSqlite(folder, [...migrations, table, { name: '9999-index', index: 'laterById', on: 'later (id)' }]);
    expect(database.migrated).toEqual(['9998-table', '9999-index']);
    await database.close();
    const sqlite = new Sqlite(file());
    const names = "SELECT name FROM sqlite_schema WHERE name IN ('later', 'laterById', 'onSqlite', 'onPostgres') ORDER BY name";
    expect(sqlite.prepare(names).pluck().all()).toEqual(['later', 'laterById', 'onSqlite']);
    sqlite.close();
  });

  it('leaves the database empty if a schema step fails while it is created', () => {
    const broken = { name: '9999-broken', sql: 'CREATE TABLE half (id TEXT); CREATE TABLE half (id TEXT);' };
    expect(() => openSqlite(folder, [...migrations, broken])).toThrow(/half already exists/);
    const sqlite = new Sqlite(file());
    expect(sqlite.pragma('user_version', { simple: true })).toBe(0);
    expect(sqlite.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({ tables: 0 });
    sqlite.close();
  });

  it('refuses another program’s database', () => {
    const sqlite = new Sqlite(file());
    sqlite.exec('CREATE TABLE theirs (id TEXT)');
    sqlite.close();
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'FILE_FOREIGN' }));
  });

  it('refuses a file that is not a database', () => {
    writeFileSync(file(), 'not a database, but long enough to be looked at as one. '.repeat(40));
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'FILE_DAMAGED' }));
  });

  it('creates no new database in a data folder that was in use and lacks its own', async () => {
    await openSqlite(folder).close();
    rmSync(file());
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'FILE_MISSING' }));
  });

  it('refuses a folder laid out by a newer version', async () => {
    await openSqlite(folder).close();
    writeFileSync(join(folder, 'chiffchaff-data.json'), JSON.stringify({ format: 99, createdAt: new Date().toISOString() }));
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'SCHEMA_NEWER' }));
  });

  it('fails with FOLDER_NOT_WRITABLE if the database file cannot be written', () => {
    mkdirSync(file());
    expect(() => openSqlite(folder)).toThrow(expect.objectContaining({ code: 'FOLDER_NOT_WRITABLE' }));
  });

  it('fails with FOLDER_NOT_WRITABLE if a file is in place of the data folder', () => {
    writeFileSync(join(folder, 'taken'), '');
    expect(() => openSqlite(join(folder, 'taken'))).toThrow(expect.objectContaining({ code: 'FOLDER_NOT_WRITABLE' }));
  });

  it('returns a database that reports a fault while another program locks it, and once it is closed', async () => {
    const database = openSqlite(folder);
    expect(await database.findFault()).toBe(null);
    const other = new Sqlite(file());
    other.exec('BEGIN IMMEDIATE');
    expect(await database.findFault()).toMatchObject({ code: 'BUSY' });
    other.exec('ROLLBACK');
    other.close();
    expect(await database.findFault()).toBe(null);
    await database.close();
    expect(await database.findFault()).not.toBe(null);
  });
});
