import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../database/database.ts';
import { openPostgres } from '../../database/postgres/open-postgres.ts';
import { openSqlite } from '../../database/sqlite/open-sqlite.ts';
import { createExplained } from '../../testing/explained.ts';
import { fillHistory } from '../../testing/fill-history.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../../testing/start-postgres.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { createSoundStore } from '../audio/sound-store.ts';
import { createLifeListStore, type LifeListStore } from './life-list-store.ts';
import { createPredictionStore, type PredictionStore } from './prediction-store.ts';
import { createReviewStore } from './review-store.ts';

const PREDICTIONS = 3000;
const ACCOUNTS = 300;
const species = ['Parus major', 'Turdus merula', 'Sylvia borin'].map((scientificName) => ({
  scientificName,
  commonName: scientificName,
}));
const names = new Map([['Turdus merula', 'Amsel']]);
/** More words times birds than a query may have variables: 32,766 on SQLite, 65,535 on PostgreSQL. */
const manyWords = 'a '.repeat(100);
const manyNames = new Map(Array.from({ length: 700 }, (_, index) => [`Avis ${index}`, `A bird ${index}`]));

let folder: string;
let server: TestPostgres | undefined;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chiffchaff-plans-'));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Stores of a database with a history, and the plans for what they ask. */
async function openExplained(kind: Database['kind']) {
  if (kind === 'postgres') server = await startPostgres();
  const database =
    server === undefined
      ? openSqlite(folder)
      : await openPostgres((await createTestDatabase(server.url)).url, { log: { warn() {} } });
  let state = 1;
  const random = (): number => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const accountIds = Array.from({ length: PREDICTIONS }, (_, index) => `account-${index % ACCOUNTS}`);
  await fillHistory({ database, accountIds, species, random, nowMs: Date.now() });
  await keepSounds(database, accountIds, Date.now());
  await reviewAll(database);
  const explained = createExplained(database);
  return {
    database,
    store: createPredictionStore(explained.database),
    lifeList: createLifeListStore(explained.database),
    sounds: createSoundStore(explained.database),
    reviews: createReviewStore(explained.database),
    /** The database's plans for all statements since the last call, as text. */
    plans: async (): Promise<string> => (await explained.plans()).join('; '),
  };
}

/** Kept audio of each recording, none of it due, all of it prepared. */
async function keepSounds(database: Database, accountIds: readonly string[], nowMs: number): Promise<void> {
  const rows = accountIds.map((accountId, index) => ({
    id: `sound-${index}`,
    accountId,
    predictionId: `prediction-${index}`,
    createdAtMs: nowMs - index,
    recordingUntilMs: index % 2 === 0 ? nowMs + (index + 1) * 1_000_000 : null,
    momentsUntilMs: index % 2 === 0 ? null : nowMs + (index + 1) * 1_000_000,
    moments: '[]',
    durationSeconds: 60,
    channels: 1,
    asSentType: null,
    preparedAtMs: nowMs,
    preparingUntilMs: null,
  }));
  for (let first = 0; first < rows.length; first += 500) {
    await database.change({}, (query) =>
      query
        .insertInto('keptSounds')
        .values(rows.slice(first, first + 500))
        .execute(),
    );
  }
  if (database.kind === 'postgres') await sql`ANALYZE "keptSounds"`.execute(database.query);
}

/** A review of each prediction. */
async function reviewAll({ kind, query, change }: Database): Promise<void> {
  const ids = await query.selectFrom('predictions').select('id').execute();
  const bird = { scientificName: 'Parus major', commonName: 'Great Tit', confidence: 0.9, verdict: 'confirmed' as const };
  const rows = ids.map(({ id }) => ({
    ...bird,
    ...{ predictionId: id, sequence: 1, toScientificName: null, toCommonName: null, bulk: 0 as const, atMs: 1 },
  }));
  for (let first = 0; first < rows.length; first += 500) {
    await change({}, (step) =>
      step
        .insertInto('predictionReviews')
        .values(rows.slice(first, first + 500))
        .execute(),
    );
  }
  if (kind === 'postgres') await sql`ANALYZE "predictionReviews"`.execute(query);
}

const kinds = (['sqlite', 'postgres'] as const).filter((kind) => kind === 'sqlite' || isPostgresInstalled());

describe.each(kinds)('Queries of a long history on %s', (kind) => {
  let explained: Awaited<ReturnType<typeof openExplained>>;
  beforeAll(async () => {
    explained = await openExplained(kind);
  });
  afterAll(() => explained.database.close());

  const account = 'account-7';
  it.each([
    ['the list of predictions', (store) => store.list(account, { limit: 20 })],
    [
      'the next page of the list',
      async (store) => store.list(account, { limit: 2, cursor: (await store.list(account, { limit: 2 })).cursor ?? '' }),
    ],
    ['predictions by words', (store) => store.list(account, { limit: 20, search: 'amsel recording' }, names)],
    [
      'predictions by many words that many birds have',
      (store) => store.list(account, { limit: 20, search: manyWords }, manyNames),
    ],
    ['predictions of one bird', (store) => store.list(account, { limit: 20, species: 'Parus major' })],
    ['predictions of a month', (store) => store.list(account, { limit: 20, from: '2026-05-01', to: '2026-05-31' })],
    ['predictions near a place', (store) => store.list(account, { limit: 20, latitude: 52, longitude: 13 })],
    ['a prediction of the same recording', (store) => store.list(account, { limit: 1, sha256: 'a'.repeat(64) })],
    ['confirmed predictions', (store) => store.list(account, { limit: 20, confirmed: true })],
    ['the days with predictions', (store) => store.days(account)],
    ['the life list', (_store, lifeList) => lifeList.read(account)],
    [
      'how often birds were heard before',
      async (store, lifeList) =>
        lifeList.heardBefore(account, (await store.list(account, { limit: 1 })).predictions[0]?.id ?? ''),
    ],
    ['predictions that are being made', (store) => store.inWork(account)],
    ['failed predictions', (store) => store.failed(account)],
    ['a prediction by its idempotency key', (store) => store.find(account, 'key')],
    ['predictions that are to be removed', (store) => store.overdue(0, 0)],
  ] satisfies [string, (store: PredictionStore, lifeList: LifeListStore) => Promise<unknown>][])(
    'find %s by an index, never by reading all predictions',
    async (_what, ask) => {
      await ask(explained.store, explained.lifeList);
      const plans = await explained.plans();
      expect(plans).toMatch(/predictions/);
      expect(plans).not.toMatch(/SCAN predictions|Seq Scan on predictions/);
    },
  );

  it('find the life list of an account without reading its predictions, except deleted ones and the first of each bird', async () => {
    await explained.lifeList.read(account);
    const plans = await explained.plans();
    expect(plans).toMatch(
      kind === 'sqlite'
        ? /SEARCH predictionSpecies USING COVERING INDEX predictionSpeciesByOwner \(ownerId=/
        : /predictionSpeciesByOwner/,
    );
    expect(plans).toContain('predictionsRemoved');
    expect(plans).not.toContain('predictionsByAccount');
  });

  it('find earlier recordings of the same birds by account and species, with their reviews', async () => {
    const { store, lifeList, reviews } = explained;
    const { predictions } = await store.list(account, { limit: 2 });
    await explained.plans();
    const heard = await lifeList.heardBefore(account, predictions[0]?.id ?? '');
    expect(heard[0]).toMatchObject({ timesThisYear: expect.any(Number) });
    const plans = await explained.plans();
    if (kind === 'sqlite')
      expect(plans).toContain(
        'SEARCH predictionSpecies USING COVERING INDEX predictionSpeciesByOwner (ownerId=? AND scientificName=?)',
      );
    else expect(plans).toMatch(/predictionSpeciesByOwner.*scientificName/);
    expect(await reviews.ofAll(predictions.map(({ id }) => id))).toHaveProperty('size', 2);
    expect(await explained.plans()).not.toMatch(/SCAN predictionReviews|Seq Scan on \\?"predictionReviews/);
  });

  it('go through a history without reading the stored answers', async () => {
    const { store } = explained;
    await store.list(account, {
      limit: 20,
      search: 'no such bird',
      from: '2026-05-01',
      to: '2026-05-31',
      latitude: 52,
      longitude: 13,
    });
    await store.days(account);
    const plans = await explained.plans();
    // PostgreSQL stores long answers outside their rows.
    if (kind === 'sqlite') expect(plans.match(/SEARCH predictions USING COVERING INDEX predictionsOfHistory/g)).toHaveLength(2);
    else expect(plans.match(/Index (Only )?Scan/g)?.length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['due', (store) => store.due(Date.now()), ['keptSoundsByRecordingEnd', 'keptSoundsByMomentsEnd']],
    ['unfinished', (store) => store.unprepared(), ['keptSoundsUnprepared']],
  ] satisfies [string, (store: ReturnType<typeof createSoundStore>) => Promise<unknown>, string[]][])(
    'find kept audio that is %s by indexes, never by reading all of it',
    async (_what, ask, indexes) => {
      await ask(explained.sounds);
      const plans = await explained.plans();
      for (const index of indexes) expect(plans).toContain(index);
      expect(plans).not.toMatch(/SCAN keptSounds(?! USING INDEX)|Seq Scan on \\?"keptSounds/);
    },
  );

  it('find an earlier prediction of the same recording by its hash', async () => {
    await explained.store.list(account, { limit: 1, sha256: 'a'.repeat(64) });
    expect(await explained.plans()).toContain('predictionsByHash');
  });
});
