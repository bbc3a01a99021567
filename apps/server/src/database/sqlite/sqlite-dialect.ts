import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SharedConnection } from './shared-connection.ts';

/**
 * A Kysely dialect over the shared connection. Kysely's own holds the connection while it waits for another program's lock, and begins
 * transactions that may be refused later, when they write.
 *
 * @param patienceMs how long a statement or transaction waits for another program's lock
 */
export function createDialect(shared: SharedConnection, patienceMs: number): Dialect {
  return {
    createAdapter: () => new SharedAdapter(),
    createDriver: () => createDriver(shared, patienceMs),
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class SharedAdapter extends SqliteAdapter {
  /** Statements and transactions take turns on the shared connection. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** One use of the connection: a single statement or a transaction. */
interface Turn extends DatabaseConnection {
  /** null outside a transaction */
  leave: (() => void) | null;
}

function createDriver({ run, enter, begin, commit, rollBack }: SharedConnection, patienceMs: number): Driver {
  function end(turn: Turn): void {
    turn.leave?.();
    turn.leave = null;
  }

  return {
    async init() {},
    async acquireConnection() {
      const turn: Turn = {
        leave: null,
        async executeQuery(query) {
          if (turn.leave !== null) return run(query);
          const { value, leave } = await enter(() => run<never>(query), patienceMs);
          leave();
          return value;
        },
        streamQuery() {
          throw new Error('Rows are read all at once, or page by page.');
        },
      };
      return turn;
    },
    async beginTransaction(turn: Turn) {
      turn.leave = (await enter(begin, patienceMs)).leave;
    },
    async commitTransaction(turn: Turn) {
      commit();
      end(turn);
    },
    async rollbackTransaction(turn: Turn) {
      try {
        rollBack();
      } finally {
        end(turn);
      }
    },
    async releaseConnection() {},
    /** The opener closes the connection. */
    async destroy() {},
  };
}
