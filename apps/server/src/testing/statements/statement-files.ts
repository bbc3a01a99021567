import type { Database } from '../../database/database.ts';
import { exampleRow, repositories } from './repositories.ts';

export const WRITE_STATEMENTS = 'node apps/server/src/testing/statements/write-statements.ts';

/** Path below `src/` of the file with the statements of a database. */
export const statementFile = (kind: Database['kind']): string => `database/${kind}/statements.sql`;

/** The statements of every repository's methods, as one file. */
export async function statementText(kind: Database['kind']): Promise<string> {
  const sections = [
    `-- What each method of a repository sends to ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, for review.\n-- Written by \`${WRITE_STATEMENTS}\`; a test fails when it is out of date.\n`,
  ];
  for (const { source, onPostgresOnly, record } of repositories) {
    if (onPostgresOnly && kind !== 'postgres') continue;
    sections.push(`\n-- ${source}\n`);
    for (const [method, statements] of await record(kind, exampleRow)) {
      if (statements.size === 0) continue;
      sections.push(`\n-- ${method}\n`, ...[...statements].map((statement) => `${inLines(statement)};\n`));
    }
  }
  return sections.join('');
}

const clauses =
  /[()]| (?<!^delete | distinct | update )(?=(?:from|where|and|inner join|left join|group by|order by|limit|set|values|on conflict|returning) )/gi;

/** Starts a line at each clause, also of subqueries, so that a diff shows what has changed. */
function inLines(statement: string): string {
  /** for each open bracket, whether it holds a subquery */
  const brackets: boolean[] = [];
  return statement
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(clauses, (found, offset: number, text: string) => {
      if (found === '(') brackets.push(/^select\b/i.test(text.slice(offset + 1).trimStart()));
      else if (found === ')') brackets.pop();
      else if (brackets.at(-1) ?? true) return `\n${'  '.repeat(brackets.filter(Boolean).length + 1)}`;
      return found;
    });
}
