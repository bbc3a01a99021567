import { eventually } from '@chiffchaff/testing';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../../testing/start-postgres.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { type Migration, migrations } from '../migrations.ts';
import type { Tables } from '../tables.ts';
import { isUniqueViolation } from '../unique-violation.ts';
import { migrate } from './migrate.ts';
import { openPostgres, type PostgresDatabase } from './open-postgres.ts';

const log = { warn() {} };
const later: Migration = { name: '9998-later', sql: 'CREATE TABLE later (id TEXT PRIMARY KEY) STRICT;' };
const laterStill: Migration = { name: '9999-later-still', sql: 'CREATE TABLE laterStill (id TEXT PRIMARY KEY) STRICT;' };

describe.skipIf(!isPostgresInstalled())('A database on PostgreSQL (needs Debian’s postgresql)', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  let place: TestDatabase;
  let database: PostgresDatabase;
  beforeEach(async () => {
    place = await createTestDatabase(server.url);
    database = await openPostgres(place.url, { log });
  });
  afterEach(async () => {
    await database.close();
    await place.drop();
  });

  const acceptance = (accountId: string) => ({ accountId, version: '1', acceptedAtMs: 1 });
  const add = (accountId: string, query: Kysely<Tables> = database.query) =>
    query.insertInto('termsAcceptances').values(acceptance(accountId)).execute();
  const countOf = async (query: Kysely<Tables> = database.query) =>
    (
      await query
        .selectFrom('termsAcceptances')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count;
  const accounts = async () =>
    (await database.query.selectFrom('termsAcceptances').select('accountId').orderBy('accountId').execute()).map(
      ({ accountId }) => accountId,
    );
  /** Runs `work` on another connection, as another machine would. */
  async function beside(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = new pg.Client({ connectionString: place.url });
    client.on('error', () => {});
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }

  describe('has a schema that', () => {
    const emptied = () => beside((client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));

    it('is created once by programs that start at the same time', async () => {
      await emptied();
      const opened = await Promise.all([1, 2, 3].map(() => openPostgres(place.url, { log })));
      const names = migrations.map(({ name }) => name);
      expect(opened.map(({ migrated }) => migrated).sort((one, other) => one.length - other.length)).toEqual([[], [], names]);
      await Promise.all(opened.map((one) => one.close()));
    });

    it('is recognised as Chiffchaff’s by a machine that starts while another machine creates it', async () => {
      await emptied();
      let statements = 0;
      await beside(async (client) => {
        const slow = Object.create(client, {
          query: {
            async value(statement: string) {
              const result = await client.query(statement);
              statements += 1;
              if (statements === 2) await (await openPostgres(place.url, { log })).close();
              return result;
            },
          },
        });
        expect(await migrate(slow, migrations)).toEqual([]);
      });
    });

    it('can be one step newer than the program, and no more', async () => {
      await (await openPostgres(place.url, { log, steps: [...migrations, later] })).close();
      const older = await openPostgres(place.url, { log });
      expect(older.migrated).toEqual([]);
      await older.close();
      await (await openPostgres(place.url, { log, steps: [...migrations, later, laterStill] })).close();
      await expect(openPostgres(place.url, { log })).rejects.toMatchObject({ code: 'SCHEMA_NEWER' });
    });

    it('has nothing of a step that fails, and all of the steps before it', async () => {
      const broken = { name: '9999-broken', sql: 'CREATE TABLE half (id TEXT) STRICT; CREATE TABLE half (id TEXT) STRICT;' };
      await expect(openPostgres(place.url, { log, steps: [...migrations, later, broken] })).rejects.toThrow('half');
      await beside(async (client) => {
        const { rows } = await client.query("SELECT to_regclass('half') AS half, to_regclass('later') AS later");
        expect(rows).toEqual([{ half: null, later: 'later' }]);
      });
      const opened = await openPostgres(place.url, { log, steps: [...migrations, later, laterStill] });
      expect(opened.migrated).toEqual([laterStill.name]);
      await opened.close();
    });

    it('has no table that a step creates for SQLite only', async () => {
      const both = { ...later, onSqlite: 'CREATE TABLE onSqlite (id TEXT);', onPostgres: 'CREATE TABLE onPostgres (id TEXT);' };
      await (await openPostgres(place.url, { log, steps: [...migrations, both] })).close();
      await beside(async (client) => {
        const { rows } = await client.query(
          `SELECT to_regclass('"onSqlite"') AS sqlite, to_regclass('"onPostgres"') AS postgres`,
        );
        expect(rows).toEqual([{ sqlite: null, postgres: '"onPostgres"' }]);
      });
    });

    describe('gets a new index, which', () => {
      const steps = [...migrations, { name: '9999-index', index: 'acceptancesByTime', on: 'termsAcceptances (acceptedAtMs)' }];
      const isValid = async () => {
        const find = `SELECT indisvalid AS value FROM pg_index WHERE indexrelid = to_regclass('"acceptancesByTime"')`;
        return (await database.pool.query<{ value: boolean }>(find)).rows[0]?.value;
      };

      /** Opens the database while a transaction, open until `meanwhile` returns, keeps the index from being finished. */
      async function build(meanwhile: () => Promise<unknown>): Promise<PostgresDatabase> {
        const opening = Promise.withResolvers<PostgresDatabase>();
        opening.promise.catch(() => {});
        await beside(async (client) => {
          await client.query('BEGIN');
          await client.query(`INSERT INTO "termsAcceptances" VALUES ('a', '1', 1)`);
          openPostgres(place.url, { log, steps }).then(opening.resolve, opening.reject);
          const waiting = "SELECT FROM pg_stat_progress_create_index WHERE phase = 'waiting for writers before build'";
          await eventually(async () => expect((await database.pool.query(waiting)).rowCount).toBe(1));
          await meanwhile();
          await client.query('COMMIT');
        });
        return opening.promise;
      }

      it('lets other machines write and start while it is built, and makes a machine that needs it wait', async () => {
        const others: Promise<PostgresDatabase>[] = [];
        const first = await build(async () => {
          others.push(openPostgres(place.url, { log, steps }));
          await add('b');
          await (await openPostgres(place.url, { log })).close();
        });
        const opened = [first, ...(await Promise.all(others))];
        expect(opened.map(({ migrated }) => migrated)).toEqual([['9999-index'], []]);
        expect([await isValid(), await accounts()]).toEqual([true, ['a', 'b']]);
        await Promise.all(opened.map((one) => one.close()));
      });

      it('is built again by the next start when the build was interrupted', async () => {
        const interrupted = build(() =>
          database.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index'),
        );
        await expect(interrupted).rejects.toMatchObject({ code: 'UNREACHABLE' });
        expect(await isValid()).toBe(false);
        const again = await openPostgres(place.url, { log, steps });
        expect([again.migrated, await isValid()]).toEqual([['9999-index'], true]);
        await again.close();
      });
    });

    it('is not created beside the tables of another program', async () => {
      await emptied();
      await beside((client) => client.query('CREATE TABLE theirs (id text)'));
      await expect(openPostgres(place.url, { log })).rejects.toMatchObject({ code: 'FILE_FOREIGN' });
    });
  });

  it('keeps large numbers, fractions, bytes and text as written, but replaces null characters', async () => {
    const answer = new Uint8Array([0, 1, 255]);
    await database.query
      .insertInto('predictions')
      .values({ ...prediction, id: 'p', bytes: 2 ** 41, answer, fileName: 'a\0b' })
      .execute();
    await database.query
      .insertInto('predictionSpecies')
      .values({
        ...{ predictionId: 'p', scientificName: 's', commonName: 'ä', confidence: 0.1 },
        ...{ ownerId: 'a', sentAtMs: 1, recordedOn: '2026-05-01' },
      })
      .execute();
    const row = await database.query.selectFrom('predictions').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      bytes: 2 ** 41,
      answer: Buffer.from(answer),
      fileName: 'a\uFFFDb',
      attempts: 0,
      deletedAtMs: null,
    });
    const sums = database.query.selectFrom('predictions').select(({ fn }) => fn.sum<number>('bytes').as('bytes'));
    expect(await sums.executeTakeFirst()).toEqual({ bytes: 2 ** 41 });
    expect(await database.query.selectFrom('predictionSpecies').select('confidence').execute()).toEqual([{ confidence: 0.1 }]);
  });

  it('reports that a unique value is already taken by another row', async () => {
    await add('a');
    expect(await add('a').catch(isUniqueViolation)).toBe(true);
  });

  describe('makes a change that', () => {
    it('is committed whole or not at all', async () => {
      const failing = database.change({}, async (query) => {
        await add('a', query);
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await database.change({ light: true }, (query) => add('b', query));
      expect(await accounts()).toEqual(['b']);
    });

    it('is repeated when another change modified what it had read', async () => {
      const adding = Array.from({ length: 8 }, () =>
        database.change({}, async (query) => {
          const count = await countOf(query);
          await add(`${count}`, query);
        }),
      );
      await Promise.all(adding);
      expect(await accounts()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    });

    it('is made once if it changes its own rows, although another change modified what it had read', async () => {
      await add('a');
      let times = 0;
      await database.change({ ownRows: true }, async (query) => {
        times += 1;
        await countOf(query);
        await beside((client) => client.query('UPDATE "termsAcceptances" SET version = 2'));
        await query.updateTable('termsAcceptances').set({ acceptedAtMs: 3 }).where('accountId', '=', 'a').execute();
      });
      const row = await database.query.selectFrom('termsAcceptances').selectAll().executeTakeFirst();
      expect([times, row]).toEqual([1, { accountId: 'a', version: '2', acceptedAtMs: 3 }]);
    });

    it('is repeated if it changes its own rows and another has just added one of them', async () => {
      const found: number[] = [];
      await database.change({ ownRows: true }, async (query) => {
        found.push(await countOf(query));
        if (found.at(-1) === 1) return;
        await beside((client) => client.query(`INSERT INTO "termsAcceptances" VALUES ('a', '1', 1)`));
        await add('a', query);
      });
      expect(found).toEqual([0, 1]);
    });

    it('is refused when it conflicts with others again and again', async () => {
      await add('a');
      const meeting = database.change({}, async (query) => {
        await countOf(query);
        await beside((client) => client.query('UPDATE "termsAcceptances" SET "acceptedAtMs" = 2'));
        await query.updateTable('termsAcceptances').set({ acceptedAtMs: 3 }).execute();
      });
      await expect(meeting).rejects.toMatchObject({ code: 'BUSY' });
    });

    it('is not committed after an error in it, even if that was caught', async () => {
      await add('a');
      const swallowing = database.change({}, async (query) => {
        await add('b', query);
        await add('a', query).catch(() => {});
      });
      await expect(swallowing).rejects.toThrow();
      expect(await accounts()).toEqual(['a']);
    });
  });

  describe('sends a notification that', () => {
    it('is received when its change is committed, and not when it is rolled back', async () => {
      const heard: string[] = [];
      const told = Promise.withResolvers<void>();
      const stop = await database.listen('birds', (payload) => {
        heard.push(payload);
        if (payload === 'last') told.resolve();
      });
      await database.change({}, async (query) => database.notify('birds', 'in a change', query));
      await database
        .change({}, async (query) => {
          await database.notify('birds', 'undone', query);
          throw new Error('no');
        })
        .catch(() => {});
      await database.notify('birds', 'last');
      await told.promise;
      expect(heard).toEqual(['in a change', 'last']);
      await stop();
      await database.notify('birds', 'after');
      const again = Promise.withResolvers<string>();
      await database.listen('birds', again.resolve);
      await database.notify('birds', 'again');
      expect(await again.promise).toBe('again');
      expect(heard).toEqual(['in a change', 'last']);
    });

    it('is received on a new connection after the first was lost', async () => {
      const back = Promise.withResolvers<void>();
      const heard = Promise.withResolvers<string>();
      await database.listen('birds', heard.resolve, back.resolve);
      await beside((client) =>
        client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1', [
          'LISTEN%',
        ]),
      );
      await back.promise;
      await database.notify('birds', 'still there');
      expect(await heard.promise).toBe('still there');
    });
  });
});

const prediction = {
  accountId: null,
  idempotencyKey: null,
  requestHash: '',
  createdAtMs: 1,
  state: 'queued',
  fields: '{}',
  fileName: null,
  sha256: '',
  bytes: 1,
  uploadName: null,
  attempts: 0,
  finishedAtMs: null,
  problem: null,
  summary: null,
  searchText: null,
  answer: null,
  deletedAtMs: null,
} as const;
