import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../database.ts';
import type { Tables } from '../tables.ts';
import { openSqlite } from './open-sqlite.ts';

const reserveBytes = 3_000_000;

let folder: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-change-'));
  database = openSqlite(folder, undefined, reserveBytes);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const reserve = () => join(folder, 'deletion-reserve');
const acceptance = (accountId: string) => ({ accountId, version: '1', acceptedAtMs: 1 });
const add = (query: Kysely<Tables>, accountId: string) =>
  query.insertInto('termsAcceptances').values(acceptance(accountId)).execute();
const accounts = async () =>
  (await database.query.selectFrom('termsAcceptances').select('accountId').orderBy('accountId').execute()).map(
    ({ accountId }) => accountId,
  );

describe('A change to SQLite while another program holds the lock', () => {
  let other: Sqlite.Database;
  beforeEach(() => {
    other = new Sqlite(join(folder, 'chiffchaff.sqlite'));
    other.exec('BEGIN IMMEDIATE');
  });
  afterEach(() => other.close());

  it('is made when the lock is free, and does not block reading', async () => {
    const adding = Promise.all(['a', 'b'].map((id) => database.change({}, (query) => add(query, id))));
    expect(await accounts()).toEqual([]);
    other.exec('ROLLBACK');
    await adding;
    expect(await accounts()).toEqual(['a', 'b']);
  });

  it('is refused after a moment, and not carried out at all', async () => {
    await expect(database.change({}, (query) => add(query, 'a'))).rejects.toMatchObject({ code: 'BUSY' });
    await expect(database.change({ freesRoom: true }, (query) => add(query, 'b'))).rejects.toMatchObject({ code: 'BUSY' });
    other.exec('ROLLBACK');
    expect(await accounts()).toEqual([]);
  });

  it('waits longer if the change is declared patient, until the server stops', async () => {
    const changing = database.change({ patient: true, light: true }, (query) => add(query, 'a'));
    await expect(database.change({}, (query) => add(query, 'b'))).rejects.toMatchObject({ code: 'BUSY' });
    database.stopWaiting();
    await expect(changing).rejects.toMatchObject({ code: 'BUSY' });
    other.exec('ROLLBACK');
    const { rows } = await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(database.query);
    expect(rows).toEqual([{ synchronous: 2 }]);
  });
});

describe('A change to SQLite', () => {
  it('is the only way to write: an insert outside a change is refused', async () => {
    await expect(add(database.query, 'a')).rejects.toThrow('This must run in a change: insert into "termsAcceptances"');
    expect(await accounts()).toEqual([]);
  });

  it('is made whole or not at all', async () => {
    const failing = database.change({}, async (query) => {
      await add(query, 'a');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.change({}, (query) => add(query, 'b'));
    expect(await accounts()).toEqual(['b']);
  });

  it('that frees space is repeated with reserved disk space when the disk is full; other changes are not', async () => {
    expect(statSync(reserve()).size).toBe(reserveBytes);
    let tries = 0;
    /** Simulates a full disk: SQLite gets no further pages while the reserve takes up its space. */
    const change = async (query: Kysely<Tables>): Promise<void> => {
      tries += 1;
      await add(query, `try ${tries}`);
      const pages = (await sql<{ page_count: number }>`PRAGMA page_count`.execute(query)).rows[0]?.page_count ?? 0;
      await sql.raw(`PRAGMA max_page_count = ${existsSync(reserve()) ? pages : pages + 1000}`).execute(query);
      await sql.raw("INSERT INTO accountDeletions SELECT hex(randomblob(5000)), value FROM json_each('[1,2,3]')").execute(query);
    };
    await expect(database.change({}, change)).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(await accounts()).toEqual([]);
    await database.change({ freesRoom: true }, change);
    expect(await accounts()).toEqual(['try 3']);
    expect(statSync(reserve()).size).toBe(reserveBytes);
  });
});
