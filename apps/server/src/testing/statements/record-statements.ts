import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from '../../database/database.ts';
import { expressions as onPostgres } from '../../database/postgres/expressions.ts';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import { expressions as onSqlite } from '../../database/sqlite/expressions.ts';
import type { Tables } from '../../database/tables.ts';

/** What a statement finds: a row with these columns, or none. */
export type Found = Readonly<Record<string, unknown>> | null;

const dialects = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (query: Kysely<Tables>) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    expressions: onSqlite,
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (query: Kysely<Tables>) => new PostgresIntrospector(query),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    expressions: onPostgres,
  },
} as const;

/** A database without data that records statements instead of running them. It never notifies. */
export interface Recorder {
  readonly database: PostgresDatabase;
  /** Runs calls of a method. @param found the row that each of its statements finds @returns the statements, in order */
  record(found: Found, calls: () => Promise<unknown>): Promise<readonly string[]>;
}

export function createRecorder(kind: Database['kind']): Recorder {
  let statements: string[] = [];
  let found: Found = null;

  async function answer({ sql }: CompiledQuery): Promise<{ rows: never[]; numAffectedRows: bigint }> {
    // Finds nothing when it is repeated, so that loops end.
    const isFound = found !== null && !statements.includes(sql);
    statements.push(sql);
    // The type of a row depends on the statement.
    return { rows: isFound ? [found as never] : [], numAffectedRows: isFound ? 1n : 0n };
  }

  class RecordingDriver extends DummyDriver {
    override async acquireConnection() {
      return {
        executeQuery: answer,
        streamQuery(): never {
          throw new Error('Rows are read all at once, or page by page.');
        },
      };
    }
  }

  const { expressions, ...dialect } = dialects[kind];
  const query = new Kysely<Tables>({ dialect: { ...dialect, createDriver: () => new RecordingDriver() } });
  const database: Database = {
    kind,
    query,
    expressions,
    migrated: [],
    change: (_options, change) => change(query),
    findFault: async () => null,
    stopWaiting() {},
    async close() {},
  };
  const notifying: Pick<PostgresDatabase, 'notify' | 'listen'> = {
    async notify() {},
    listen: async () => async () => {},
  };
  return {
    // What only PostgreSQL has is used by repositories that exist only there; none uses the pool.
    database: { ...database, ...notifying } as PostgresDatabase,
    async record(row, calls) {
      statements = [];
      found = row;
      await calls();
      return statements;
    },
  };
}
