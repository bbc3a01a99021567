import type { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../../testing/start-postgres.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import type { Tables } from '../tables.ts';
import { openPostgres, type PostgresDatabase } from './open-postgres.ts';

const log = { warn() {} };

describe.skipIf(!isPostgresInstalled())('An unreachable PostgreSQL server (needs Debian’s postgresql)', () => {
  let server: TestPostgres;
  let database: PostgresDatabase;
  beforeEach(async () => {
    server = await startPostgres({ fsync: true });
    const { url } = await createTestDatabase(server.url);
    database = await openPostgres(url, { log });
  });
  afterEach(async () => {
    await database.close();
    await server.stop();
  });

  const add = (accountId: string, query: Kysely<Tables> = database.query) =>
    query.insertInto('termsAcceptances').values({ accountId, version: '1', acceptedAtMs: 1 }).execute();
  const accounts = async () =>
    (await database.query.selectFrom('termsAcceptances').select('accountId').orderBy('accountId').execute()).map(
      ({ accountId }) => accountId,
    );
  const unreachable = expect.objectContaining({ code: 'UNREACHABLE' });

  it('makes queries fail with UNREACHABLE, which succeed again when it is back', async () => {
    await add('a');
    await server.kill();
    await expect(add('b')).rejects.toEqual(unreachable);
    await expect(database.change({}, (query) => add('c', query))).rejects.toEqual(unreachable);
    expect(await database.findFault()).toEqual(unreachable);
    await server.restart();
    expect(await database.findFault()).toBe(null);
    expect(await accounts()).toEqual(['a']);
  });

  it('is waited for by a change declared as patient, which is then made once', async () => {
    let tries = 0;
    const killed = Promise.withResolvers<void>();
    const changing = database.change({ patient: true }, async (query) => {
      tries += 1;
      await add(`try ${tries}`, query);
      if (tries === 1) await server.kill().then(killed.resolve);
      await add('a', query);
    });
    await killed.promise;
    await server.restart();
    await changing;
    const [, last] = await accounts();
    expect(last).toBe(`try ${tries}`);
    expect(tries).toBeGreaterThan(1);
  });

  it('no longer keeps a change waiting once Chiffchaff stops', async () => {
    await server.kill();
    const changing = database.change({ patient: true }, (query) => add('a', query));
    database.stopWaiting();
    await expect(changing).rejects.toEqual(unreachable);
  });

  it('is noticed by the readiness check even if it runs but does not answer', async () => {
    expect(await database.findFault()).toBe(null);
    server.pause();
    const fault = await database.findFault();
    server.resume();
    expect(fault).toEqual(unreachable);
  });

  it('makes a query fail in the end if it accepts connections but does not answer', async () => {
    await add('a');
    server.pause();
    await expect(add('b')).rejects.toEqual(unreachable);
    server.resume();
    await add('c');
    expect(await accounts()).toEqual(expect.arrayContaining(['a', 'c']));
  });
});
