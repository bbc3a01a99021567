import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { migrations } from '../../database/migrations.ts';
import { createDatabaseOfSteps, databaseKinds } from '../../testing/database-of-steps.ts';
import { createReviewStore } from './review-store.ts';

const stepBefore = migrations.findIndex(({ name }) => name === '0022-reviews');

const bird = (predictionId: string, scientificName: string, atMs: number) => ({
  ...{ predictionId, scientificName, commonName: `The ${scientificName}`, confidence: 0.5, atMs },
});
const nothing = { correctedTo: null, correctedToCommonName: null };
const corrections = [
  { ...bird('a', 'tit', 2000), kind: 'corrected', correctedTo: 'wren', correctedToCommonName: 'The wren' },
  { ...bird('a', 'robin', 1000), kind: 'confirmed', ...nothing },
  { ...bird('b', 'tit', 3000), kind: 'rejected', ...nothing },
];
const correctionsIn = async ({ query }: Database) =>
  (await sql`SELECT * FROM ${sql.table('predictionCorrections')}`.execute(query)).rows;
const correct = ({ change }: Database, { kind, atMs, ...rest }: (typeof corrections)[number]) =>
  change({}, (query) =>
    sql`INSERT INTO ${sql.table('predictionCorrections')} (${sql.join(Object.keys({ ...rest, kind, atMs }).map((name) => sql.ref(name)))})
    VALUES (${sql.join([...Object.values(rest), kind, atMs])})`.execute(query),
  );

describe.each(databaseKinds)('a database of the step before reviews on %s', (kind) => {
  it('keeps every correction, in order, and a program of that step can still read them', async () => {
    const open = await createDatabaseOfSteps(kind);
    const before = await open(migrations.slice(0, stepBefore));
    for (const id of ['a', 'b']) {
      await before.change({}, (query) =>
        query
          .insertInto('predictions')
          .values({
            ...{ id, accountId: 'account', idempotencyKey: null, requestHash: '', createdAtMs: 1, fileName: null, sha256: '' },
            ...{ bytes: 1, attempts: 0, state: 'done', uploadName: null, receiver: '', fields: '{}' },
            ...{ summary: JSON.stringify({ durationSeconds: 1, verdict: {}, species: [] }), searchText: ' ' },
          })
          .execute(),
      );
    }
    for (const one of corrections) await correct(before, one);
    await before.close();

    const after = await open();
    const rows = await after.query
      .selectFrom('predictionReviews')
      .selectAll()
      .orderBy('predictionId')
      .orderBy('sequence')
      .execute();
    const said = { toScientificName: null, toCommonName: null };
    expect(rows).toEqual([
      { ...bird('a', 'robin', 1000), sequence: 1, verdict: 'confirmed', ...said },
      { ...bird('a', 'tit', 2000), sequence: 2, verdict: 'corrected', toScientificName: 'wren', toCommonName: 'The wren' },
      { ...bird('b', 'tit', 3000), sequence: 1, verdict: 'rejected', ...said },
    ]);
    expect(await correctionsIn(after)).toEqual(expect.arrayContaining(corrections));
    const reviews = createReviewStore(after);
    await reviews.put('account', 'a', { bird: bird('a', 'wren', 0), verdict: 'added', to: null });
    await reviews.put('account', 'a', { bird: bird('a', 'tit', 0), verdict: 'confirmed', to: null });
    await reviews.withdraw('account', 'b', 'tit');
    expect(await correctionsIn(after)).toMatchObject([
      { scientificName: 'robin', kind: 'confirmed' },
      { scientificName: 'tit', kind: 'confirmed', correctedTo: null },
    ]);
    const deletion = sql`DELETE FROM ${sql.table('predictionCorrections')}`;
    await expect(after.change({}, (query) => deletion.execute(query))).rejects.toThrow(/cannot (delete from|modify)/);
    await after.change({}, (query) => query.deleteFrom('predictions').where('id', '=', 'a').execute());
    expect(
      (await after.query.selectFrom('predictionReviews').select('predictionId').execute()).map((row) => row.predictionId),
    ).toEqual(['b', 'b']);
    await after.close();
  });
});
