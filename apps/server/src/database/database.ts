import type { Kysely } from 'kysely';
import type { DatabaseError } from './database-error.ts';
import type { Expressions } from './expressions.ts';
import type { Tables } from './tables.ts';

export interface ChangeOptions {
  /** Waits without limit for another program's lock or an unreachable database: for work that no client would retry. */
  readonly patient?: true;
  /** May use the space reserved for a full disk, because it deletes something or is needed to delete something. */
  readonly freesRoom?: true;
  /**
   * Does not wait until it is on the disk: a power cut may undo it, because it would be repeated then. A killed process does not lose it,
   * and any later change that waits for the disk takes it along.
   */
  readonly light?: true;
  /**
   * It names or locks every row that it depends on, or is right in either order. So on PostgreSQL it waits for others (READ COMMITTED) instead
   * of conflicting with changes of other rows and being repeated; only a duplicate key repeats it.
   */
  readonly ownRows?: true;
}

export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  /**
   * For reading. Only what runs on PostgreSQL alone may also write with it, a single statement at a time.
   *
   * @throws DatabaseError BUSY, UNREACHABLE, …
   */
  readonly query: Kysely<Tables>;
  /**
   * Runs a serializable transaction, unless `ownRows` says that it need not be one. `change` may be called several times, all but the last one
   * rolled back, so it must have no effects outside `query`. It must not continue after an error of `query`, which has ended the transaction.
   *
   * If the connection to PostgreSQL breaks during a commit, the outcome is unknown. A patient change finds it out. Any other fails with
   * UNREACHABLE and may have been committed all the same, so repeating it must do no harm, as after any lost response.
   *
   * @throws DatabaseError, and whatever `change` throws
   */
  change<T>(options: ChangeOptions, change: (query: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** expressions in this database's dialect */
  readonly expressions: Expressions;
  /** names of the migrations that ran when it was opened */
  readonly migrated: readonly string[];
  /** Why a change would fail right now, or null; for the readiness check. */
  findFault(): Promise<DatabaseError | null>;
  /** Makes changes that wait for a lock or for the database fail from now on, because the server must stop. */
  stopWaiting(): void;
  close(): Promise<void>;
}
