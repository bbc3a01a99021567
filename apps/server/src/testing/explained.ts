import { CompiledQuery, type KyselyPlugin } from 'kysely';
import type { Database } from '../database/database.ts';

/** A database that can explain the statements it has run. */
export interface Explained {
  readonly database: Database;
  /** The lines of the database's plans for all statements since the last call. */
  plans(): Promise<readonly string[]>;
}

type Built = Parameters<KyselyPlugin['transformQuery']>[0];

/** Lets a database explain what is asked through `query`; changes are not explained. */
export function createExplained(database: Database): Explained {
  // Parts of a statement are built like statements, but have no result of their own.
  const built = new WeakMap<Built['queryId'], Built>();
  const asked: Built[] = [];
  const query = database.query.withPlugin({
    transformQuery({ node, queryId }) {
      built.set(queryId, { node, queryId });
      return node;
    },
    async transformResult({ queryId, result }) {
      const statement = built.get(queryId);
      if (statement !== undefined) asked.push(statement);
      return result;
    },
  });
  const explain = database.kind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
  return {
    database: { ...database, query },
    async plans() {
      const lines: string[] = [];
      for (const { node, queryId } of asked.splice(0)) {
        const { sql, parameters } = database.query.getExecutor().compileQuery(node, queryId);
        const { rows } = await database.query.executeQuery<PlanLine>(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]));
        lines.push(...rows.map((row) => ('detail' in row ? row.detail : row['QUERY PLAN'])));
      }
      return lines;
    },
  };
}

/** A row of SQLite's or PostgreSQL's answer. */
type PlanLine = { readonly detail: string } | { readonly 'QUERY PLAN': string };
