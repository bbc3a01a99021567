import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPostgresInstalled, startPostgres, type TestPostgres } from './start-postgres.ts';

describe.skipIf(!isPostgresInstalled())('PostgreSQL for tests (needs Debian’s postgresql)', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: true });
  });
  afterAll(() => postgres.stop());

  async function ask(sql: string, connectionTimeoutMillis?: number): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('keeps its rows when it is killed and started again', async () => {
    await ask('CREATE TABLE birds (name text)');
    await ask("INSERT INTO birds VALUES ('chiffchaff')");
    await postgres.kill();
    await expect(ask('SELECT 1')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    await postgres.restart();
    expect(await ask('SELECT name FROM birds')).toEqual([{ name: 'chiffchaff' }]);
  });

  it('answers nothing while it is paused', async () => {
    postgres.pause();
    await expect(ask('SELECT 1', 100)).rejects.toThrow('timeout');
    postgres.resume();
    expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
