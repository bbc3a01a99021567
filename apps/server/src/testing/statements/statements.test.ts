import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositories } from './repositories.ts';
import { statementFile, statementText, WRITE_STATEMENTS } from './statement-files.ts';

const source = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, source), 'utf8');

describe('the committed SQL', () => {
  it.each(['sqlite', 'postgres'] as const)('is what the repositories send to %s', async (kind) => {
    expect(read(statementFile(kind)), `run ${WRITE_STATEMENTS}`).toBe(await statementText(kind));
  });

  it('comes from every file with statements', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\/|^database\//.test(path),
    );
    const withStatements = files.filter((path) =>
      /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<.*>)?`/.test(read(path)),
    );
    // Parts of the statements of other files.
    const parts = ['machines/heartbeat.ts', 'prediction/stored/species-rows.ts'];
    expect(withStatements.sort()).toEqual([...repositories.map((repository) => repository.source), ...parts].sort());
  });
});
