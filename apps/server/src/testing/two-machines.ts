import { openPostgres, type PostgresDatabase } from '../database/postgres/open-postgres.ts';
import { startPostgres, type TestPostgres } from './start-postgres.ts';
import { createTestDatabase } from './test-database.ts';

/** One database, opened twice, as by two machines. */
export interface TwoMachines {
  readonly postgres: TestPostgres;
  readonly here: PostgresDatabase;
  readonly there: PostgresDatabase;
  close(): Promise<void>;
}

/** Uses its own PostgreSQL server, which can be paused and killed. */
export async function openTwoMachines(): Promise<TwoMachines> {
  // Commits must survive a kill.
  const postgres = await startPostgres({ fsync: true });
  const { url } = await createTestDatabase(postgres.url);
  const log = { warn() {} };
  const [here, there] = await Promise.all([openPostgres(url, { log }), openPostgres(url, { log })]);
  return {
    postgres,
    here,
    there,
    async close() {
      await Promise.all([here.close(), there.close()]);
      await postgres.stop();
    },
  };
}
