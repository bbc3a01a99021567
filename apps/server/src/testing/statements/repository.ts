import type { Kysely } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { PostgresDatabase } from '../../database/postgres/open-postgres.ts';
import type { Tables } from '../../database/tables.ts';
import { createRecorder } from './record-statements.ts';

type Columns = Readonly<Record<string, unknown>>;

type Call<Store> = (store: Store, query: Kysely<Tables>) => unknown;
/** An example call of a method. */
export type ExampleCall<Store> =
  | Call<Store>
  | {
      readonly run: Call<Store>;
      /** columns of the row that its statements find, besides those of the example row */
      readonly finds: Columns;
    };

type IsAsync<Member> = Member extends (...parameters: never[]) => Promise<unknown> | AsyncIterable<unknown> ? true : false;

/** Calls of all methods that may run statements. A missing one is a type error. */
type CallsOfAll<Store> = {
  readonly [Name in keyof Store as IsAsync<Store[Name]> extends true ? Exclude<Name, 'close'> : never]:
    | ExampleCall<Store>
    | readonly ExampleCall<Store>[];
};

export interface Repository {
  /** path below `src/` */
  readonly source: string;
  /** Whether it exists on PostgreSQL only. */
  readonly onPostgresOnly: boolean;
  /** @returns the statements of each method, in the order in which they first run */
  record(kind: Database['kind'], example: Columns): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
}

export interface RepositoryOptions<Store> {
  readonly source: string;
  readonly onPostgresOnly?: true;
  /** Creates the store, or returns functions that take a query. */
  open(database: PostgresDatabase): Store | Promise<Store>;
  readonly calls: CallsOfAll<Store>;
}

export const repository = <Store>({ source, onPostgresOnly, open, calls }: RepositoryOptions<Store>): Repository => ({
  source,
  onPostgresOnly: onPostgresOnly ?? false,
  async record(kind, example) {
    const recorder = createRecorder(kind);
    const { query } = recorder.database;

    /** Runs a call twice: its statements find a row, or nothing. */
    async function recordBoth(columns: Columns, call: () => Promise<unknown>): Promise<readonly string[]> {
      const found = await recorder.record({ ...example, ...columns }, call);
      // A method may refuse to go on when it finds nothing.
      const notFound = await recorder.record(null, () => call().catch(() => {}));
      return [...found, ...notFound];
    }

    const methods = new Map<string, ReadonlySet<string>>();
    const opening = await recordBoth({}, async () => close(await open(recorder.database)));
    methods.set('(opened and closed)', new Set(opening));
    for (const [name, given] of Object.entries<ExampleCall<Store> | readonly ExampleCall<Store>[]>(calls)) {
      const statements: string[] = [];
      for (const one of Array.isArray(given) ? given : [given]) {
        const { run, finds } = typeof one === 'function' ? { run: one, finds: {} } : one;
        let store = null as Store;
        await recorder.record(example, async () => {
          store = await open(recorder.database);
        });
        statements.push(...(await recordBoth(finds, async () => drain(await run(store, query)))));
        await close(store);
      }
      methods.set(name, new Set(statements));
    }
    return methods;
  },
});

/** Ends the timers of a store that has some. */
async function close(store: unknown): Promise<void> {
  if (typeof store === 'object' && store !== null && 'close' in store && typeof store.close === 'function') await store.close();
}

async function drain(result: unknown): Promise<void> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return;
  for await (const _row of result as AsyncIterable<unknown>);
}
