import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SharedConnection } from './shared-connection.ts';

/**
 * kysely's dialect over the shared connection. kysely's own keeps the connection while it waits for another program's lock, and lets a
 * transaction begin that is refused later, when it writes.
 *
 * @param patienceMs how long a statement or transaction waits for another program's lock
 */
export function createDialect(shared: SharedConnection, patienceMs: number): Dialect {
  return {
    createAdapter: () => new SharedAdapter(),
    createDriver: () => new SharedDriver(shared, patienceMs),
    createIntrospector: (query) => new SqliteIntrospector(query),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class SharedAdapter extends SqliteAdapter {
  /** Statements and transactions take turns by themselves. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SharedDriver implements Driver {
  readonly #shared: SharedConnection;
  readonly #patienceMs: number;

  constructor(shared: SharedConnection, patienceMs: number) {
    this.#shared = shared;
    this.#patienceMs = patienceMs;
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<Turn> {
    return new Turn(this.#shared, this.#patienceMs);
  }
  async beginTransaction(turn: Turn): Promise<void> {
    await turn.begin();
  }
  async commitTransaction(turn: Turn): Promise<void> {
    this.#shared.commit();
    turn.end();
  }
  async rollbackTransaction(turn: Turn): Promise<void> {
    try {
      this.#shared.rollBack();
    } finally {
      turn.end();
    }
  }
  async releaseConnection(): Promise<void> {}
  /** The connection is closed by its opener. */
  async destroy(): Promise<void> {}
}

/** One use of the connection: a statement by itself, or a transaction. */
class Turn implements DatabaseConnection {
  readonly #shared: SharedConnection;
  readonly #patienceMs: number;
  #leave: (() => void) | null = null;

  constructor(shared: SharedConnection, patienceMs: number) {
    this.#shared = shared;
    this.#patienceMs = patienceMs;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { run, enter } = this.#shared;
    if (this.#leave !== null) return run(query);
    const { value, leave } = await enter(() => run<Row>(query), this.#patienceMs);
    leave();
    return value;
  }

  streamQuery(): never {
    throw new Error('Rows are read all at once, or page by page.');
  }

  async begin(): Promise<void> {
    const { begin, enter } = this.#shared;
    this.#leave = (await enter(begin, this.#patienceMs)).leave;
  }

  end(): void {
    this.#leave?.();
    this.#leave = null;
  }
}
