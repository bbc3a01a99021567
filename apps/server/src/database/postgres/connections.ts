import type { PostgresPool } from 'kysely';
import pg, { type ClientConfig, type Pool } from 'pg';
import type { DatabaseError } from '../database-error.ts';
import { explainPostgres, isLost } from './postgres-error.ts';

/** Connections of one process. */
const MOST_CONNECTIONS = 10;
/** How long a new connection, or a free one, is waited for. */
const CONNECT_MS = 4000;
const STATEMENT_MS = 10_000;
const LOCK_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 10_000;
/** Over a network that is cut nothing comes, not even that a statement took too long. */
const NO_ANSWER_MS = STATEMENT_MS + 2000;
const KEEP_ALIVE_MS = 5000;
/** So that PostgreSQL, too, notices within seconds that a machine is gone, and releases what it has locked. */
const SERVER_SETTINGS =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000';

const { builtins } = pg.types;

/** Whole numbers of 64 bits and sums are numbers here: none is larger than 2⁵³. */
const types: ClientConfig['types'] = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === builtins.INT8 || oid === builtins.NUMERIC) return Number;
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

/** For connections that wait for as long as a migration or another machine's one takes. */
export const clientConfig = (url: string): ClientConfig => ({
  connectionString: url,
  types,
  application_name: 'chiffchaff',
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  options: SERVER_SETTINGS,
});

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
  // A connection that breaks while nothing is asked of it is replaced; without a listener its error would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** What kysely takes its connections from: errors are explained, and a connection that broke is neither asked again nor used later. */
export function explainErrors(pool: Pool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        // Used after it was closed: no trouble of PostgreSQL's.
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
        // The types of kysely know cursors as well, which this server does not use, and kinds of rows, which are what a query selects.
        query: query as never,
        release: (destroy) => client.release(destroy === true || lost !== null),
      };
    },
    end: () => pool.end(),
  };
}

/** PostgreSQL stores no character 0 in a text. */
export const storable = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value);
