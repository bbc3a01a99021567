import type { PostgresPool } from 'kysely';
import pg, { type Client, type ClientConfig, type Pool } from 'pg';
import type { DatabaseError } from '../database-error.ts';
import { explainPostgres, isLost } from './postgres-error.ts';

/** Per process. */
const MOST_CONNECTIONS = 10;
/** How long to wait for a new connection, or for a free one. */
const CONNECT_MS = 4000;
const STATEMENT_MS = 10_000;
const LOCK_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Over a broken network nothing arrives, not even the error of a statement timeout. */
const NO_ANSWER_MS = STATEMENT_MS + 2000;
const KEEP_ALIVE_MS = 5000;
/** Let PostgreSQL, too, notice within seconds that a machine is gone, and release its locks. */
const SERVER_SETTINGS =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000';

const { builtins } = pg.types;

// 64-bit integers and sums are read as numbers: none is larger than 2⁵³.
for (const type of [builtins.INT8, builtins.NUMERIC]) pg.types.setTypeParser(type, Number);

/** Without a statement timeout, for connections that wait for a migration, their own or another machine's. */
export const clientConfig = (url: string): ClientConfig => ({
  connectionString: url,
  application_name: 'chiffchaff',
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  options: SERVER_SETTINGS,
});

/** Connects to PostgreSQL outside of the pool. End it with `endClient`. @throws DatabaseError */
export async function connectClient(url: string): Promise<Client> {
  const client = new pg.Client(clientConfig(url));
  // Without a listener, the error of a broken connection would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    await endClient(client);
    throw explainPostgres(error);
  }
}

/** Ends a connection, even a broken one. */
export const endClient = (client: Client): Promise<void> => client.end().catch(() => {});

export function createPool(url: string): Pool {
  const pool = new pg.Pool({
    ...clientConfig(url),
    max: MOST_CONNECTIONS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: NO_ANSWER_MS,
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced; without a listener, its error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** A pool for kysely that converts errors to DatabaseErrors. A broken connection gets no further queries and is not reused. */
export function explainErrors(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        // Used after it was closed: not an error of PostgreSQL.
        throw pool.ending ? error : explainPostgres(error);
      });
      let lost: DatabaseError | null = null;
      const query = async (text: string, values: readonly unknown[]) => {
        if (lost !== null) throw lost;
        try {
          return await client.query(text, values.map(storable));
        } catch (error) {
          const explained = explainPostgres(error);
          if (isLost(explained)) lost = explained;
          throw explained;
        }
      };
      return {
        // Kysely's type also covers cursors, which this server does not use, and row types, which depend on the query.
        query: query as never,
        release: (destroy) => client.release(destroy === true || lost !== null),
      };
    },
    end: () => pool.end(),
  };
}

/** PostgreSQL cannot store NUL characters in text. */
export const storable = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value);
