import { createHash } from 'node:crypto';
import { sha256Of } from '@chiffchaff/acquire';
import type Sqlite from 'better-sqlite3';
import type { ClientBase } from 'pg';
import pg from 'pg';
import { storable } from '../database/postgres/connections.ts';

/** The data cannot be moved, or a comparison failed; the message says what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

type Row = readonly unknown[];

/** The rows of a database, within a transaction. */
export interface Rows {
  isEmpty(table: Table): Promise<boolean>;
  /** in the order of the table's key */
  read(table: Table): AsyncIterable<Row>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
}

/** What is copied from, and to. */
export interface Move<End> {
  readonly from: End;
  readonly to: End;
  /** what the target is called in messages */
  readonly target: string;
  readonly say: (line: string) => void;
}

/** The other tables refer to these. */
const FIRST = ['accounts', 'predictions'];
const ROWS_AT_ONCE = 200;
/** An answer can take megabytes. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;

/**
 * Copies tables and compares what has arrived. A target that already has rows must have the same ones.
 *
 * @throws MoveError if the target has other rows, or they read back differently
 */
export async function moveRows(tables: readonly Table[], { from, to, target, say }: Move<Rows>): Promise<void> {
  const isEmpty = await areEmpty(to, tables);
  for (const table of tables) {
    if (isEmpty) await copyTable(from, to, table);
    const sent = await summarize(from.read(table));
    const arrived = await summarize(to.read(table));
    if (arrived.count !== sent.count || arrived.hash !== sent.hash) {
      throw new MoveError(
        isEmpty
          ? `${table.name}: ${sent.count} rows were copied, but read back differently. None of them was kept. Try again.`
          : `${target} already contains something else (${table.name}). Use an empty one.`,
      );
    }
    say(
      `${table.name}: ${sent.count} rows, verified${isEmpty ? '' : '; they were already there'} (SHA-256 ${sent.hash.slice(0, 16)}…)`,
    );
  }
}

/** The tables of a single machine. Those that only several machines have say who is running, and are not moved. */
export function tablesOf(sqlite: Sqlite.Database): readonly Table[] {
  const names = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .pluck()
    .all();
  const ordered = [...FIRST, ...names.filter((name) => !FIRST.includes(name))];
  return ordered.map((name) => {
    const columns = sqlite.pragma(`table_info(${name})`) as readonly { readonly name: string; readonly pk: number }[];
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
  });
}

const list = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');
const selection = ({ name, columns, key }: Table): string =>
  `SELECT ${list(columns)} FROM ${pg.escapeIdentifier(name)} ORDER BY ${list(key)}`;

export const sqliteRows = (sqlite: Sqlite.Database): Rows => ({
  isEmpty: async ({ name }) => sqlite.prepare(`SELECT 1 FROM ${pg.escapeIdentifier(name)} LIMIT 1`).get() === undefined,
  async *read(table) {
    for (const row of sqlite.prepare<[], Row>(selection(table)).raw().iterate()) yield row.map(storable);
  },
  async insert({ name, columns }, rows) {
    const insert = sqlite.prepare(
      `INSERT INTO ${pg.escapeIdentifier(name)} (${list(columns)}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    for (const row of rows) insert.run(row);
  },
});

export const postgresRows = (client: ClientBase): Rows => ({
  async isEmpty({ name }) {
    return (await client.query(`SELECT 1 FROM ${pg.escapeIdentifier(name)} LIMIT 1`)).rowCount === 0;
  },
  async *read(table) {
    await client.query(`DECLARE moved NO SCROLL CURSOR FOR ${selection(table)}`);
    for (;;) {
      const { rows } = await client.query<unknown[]>({ text: `FETCH ${ROWS_AT_ONCE} FROM moved`, rowMode: 'array' });
      yield* rows;
      if (rows.length === 0) break;
    }
    await client.query('CLOSE moved');
  },
  async insert({ name, columns }, rows) {
    const values = rows.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(', ')})`);
    await client.query(`INSERT INTO ${pg.escapeIdentifier(name)} (${list(columns)}) VALUES ${values.join(', ')}`, rows.flat());
  },
});

async function areEmpty(to: Rows, tables: readonly Table[]): Promise<boolean> {
  for (const table of tables) if (!(await to.isEmpty(table))) return false;
  return true;
}

async function copyTable(from: Rows, to: Rows, table: Table): Promise<void> {
  let rows: Row[] = [];
  let bytes = 0;
  for await (const row of from.read(table)) {
    rows.push(row);
    bytes += row.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.length : 0), 0);
    if (rows.length < ROWS_AT_ONCE && bytes <= BYTES_AT_ONCE) continue;
    await to.insert(table, rows);
    rows = [];
    bytes = 0;
  }
  if (rows.length > 0) await to.insert(table, rows);
}

async function summarize(rows: AsyncIterable<Row>) {
  const hash = createHash('sha256');
  let count = 0;
  for await (const row of rows) {
    count += 1;
    hash.update(JSON.stringify(row.map((value) => (value instanceof Uint8Array ? sha256Of(value) : value))));
  }
  return { count, hash: hash.digest('hex') };
}
