import { createHash } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import type { ClientBase } from 'pg';
import pg from 'pg';
import { storable } from '../database/postgres/connections.ts';
import { MoveError } from './move-error.ts';

export interface MoveRowsOptions {
  readonly source: Sqlite.Database;
  /** within a transaction */
  readonly target: ClientBase;
  readonly say: (line: string) => void;
}

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

type Row = readonly unknown[];

/** The other tables refer to these. */
const FIRST = ['accounts', 'predictions'];
const ROWS_AT_ONCE = 200;
/** An answer can take megabytes. */
const BYTES_AT_ONCE = 8 * 1024 * 1024;

/**
 * Copies every table of SQLite and compares what has arrived. A target that already has rows must have the same ones.
 *
 * @throws MoveError if the target has other rows, or they read back differently
 */
export async function moveRows({ source, target, say }: MoveRowsOptions): Promise<void> {
  const tables = tablesOf(source);
  const isEmpty = await areEmpty(target, tables);
  for (const table of tables) {
    if (isEmpty) await copyTable(source, target, table);
    const sent = summarize(rowsOf(source, table));
    const arrived = await summarizeTarget(target, table);
    if (arrived.count !== sent.count || arrived.hash !== sent.hash) {
      throw new MoveError(
        isEmpty
          ? `${table.name}: ${sent.count} rows were copied, but read back differently. None of them was kept. Try again.`
          : `The database in DATABASE_URL already contains something else (${table.name}). Use an empty one.`,
      );
    }
    say(
      `${table.name}: ${sent.count} rows, verified${isEmpty ? '' : '; they were already there'} (SHA-256 ${sent.hash.slice(0, 16)}…)`,
    );
  }
}

function tablesOf(source: Sqlite.Database): readonly Table[] {
  const names = source
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .pluck()
    .all();
  const ordered = [...FIRST, ...names.filter((name) => !FIRST.includes(name))];
  return ordered.map((name) => {
    const columns = source.pragma(`table_info(${name})`) as readonly { readonly name: string; readonly pk: number }[];
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
  });
}

const list = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');
const selection = ({ name, columns, key }: Table): string =>
  `SELECT ${list(columns)} FROM ${pg.escapeIdentifier(name)} ORDER BY ${list(key)}`;

function* rowsOf(source: Sqlite.Database, table: Table): Iterable<Row> {
  for (const row of source.prepare<[], Row>(selection(table)).raw().iterate()) yield row.map(storable);
}

async function areEmpty(target: ClientBase, tables: readonly Table[]): Promise<boolean> {
  for (const { name } of tables) {
    const { rowCount } = await target.query(`SELECT 1 FROM ${pg.escapeIdentifier(name)} LIMIT 1`);
    if (rowCount !== 0) return false;
  }
  return true;
}

async function copyTable(source: Sqlite.Database, target: ClientBase, { name, columns, ...table }: Table): Promise<void> {
  let rows: Row[] = [];
  let bytes = 0;
  const send = async (): Promise<void> => {
    if (rows.length === 0) return;
    const values = rows.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`).join(', ')})`);
    await target.query(`INSERT INTO ${pg.escapeIdentifier(name)} (${list(columns)}) VALUES ${values.join(', ')}`, rows.flat());
    rows = [];
    bytes = 0;
  };
  for (const row of rowsOf(source, { name, columns, ...table })) {
    rows.push(row);
    bytes += row.reduce<number>((sum, value) => sum + (value instanceof Uint8Array ? value.length : 0), 0);
    if (rows.length === ROWS_AT_ONCE || bytes > BYTES_AT_ONCE) await send();
  }
  await send();
}

interface Summary {
  readonly count: number;
  readonly hash: string;
}

function openSummary() {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add(row: Row): void {
      count += 1;
      hash.update(JSON.stringify(row.map((value) => (value instanceof Uint8Array ? hashOf(value) : value))));
    },
    end: (): Summary => ({ count, hash: hash.digest('hex') }),
  };
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function summarize(rows: Iterable<Row>): Summary {
  const summary = openSummary();
  for (const row of rows) summary.add(row);
  return summary.end();
}

async function summarizeTarget(target: ClientBase, table: Table): Promise<Summary> {
  const summary = openSummary();
  await target.query(`DECLARE moved NO SCROLL CURSOR FOR ${selection(table)}`);
  for (;;) {
    const { rows } = await target.query<unknown[]>({ text: `FETCH ${ROWS_AT_ONCE} FROM moved`, rowMode: 'array' });
    for (const row of rows) summary.add(row);
    if (rows.length === 0) break;
  }
  await target.query('CLOSE moved');
  return summary.end();
}
