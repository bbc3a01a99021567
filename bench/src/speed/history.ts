import { fillHistory } from '@chiffchaff/server/testing/fill-history';
import { openTestDatabase } from '@chiffchaff/server/testing/test-database';
import { ask, codeOf, signUpSomebody } from '../harness/api.ts';
import { percentile, round, timed } from '../harness/measures.ts';
import { createChance } from '../harness/random.ts';
import { limitedRow } from '../harness/report.ts';
import { makeOwnDataFolder, startServer } from '../harness/server.ts';
import type { Measure } from './part.ts';

const PREDICTIONS = 100_000;
/** Every twentieth prediction is of the account that asks; 999 accounts share the others. */
const EVERY_NTH = 20;
const ACCOUNTS = 1000;
const MOST_MS = 50;

const QUESTIONS: Readonly<Record<string, string>> = {
  list: '?limit=20',
  search: '?search=sparrow',
  // German, unlike the stored names.
  'search, other language': '?search=specht&language=de',
  bird: '?species=Parus%20major',
  month: '?from=2020-05-01&to=2020-05-31',
  place: '?latitude=10&longitude=10',
  days: '/days',
  species: '/species?language=de',
};

/** Response times of a long history over HTTP, one request at a time. `query-plans.test.ts` tests that indexes are used. */
export const measureHistory: Measure = async ({ model, isQuick }) => {
  await using data = await makeOwnDataFolder();
  const dataDir = data.path;
  const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error' };
  const first = await startServer(environment, { dataDir });
  const token = await signUpSomebody(first.origin);
  await first.stop();
  const { sub }: { readonly sub: string } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const database = await openTestDatabase(dataDir);
  const accountIds = Array.from({ length: isQuick ? PREDICTIONS / 10 : PREDICTIONS }, (_, index) =>
    index % EVERY_NTH === 0 ? sub : `account-${index % (ACCOUNTS - 1)}`,
  );
  const labels = model.species.labels.filter((_, index) => index % 20 === 0);
  const species = labels.map(({ scientificName }) => ({ scientificName, commonName: scientificName }));
  await fillHistory({ database, accountIds, species, random: createChance(1).next, nowMs: Date.now() });
  await database.close();

  await using server = await startServer(environment, { dataDir });
  const msOf = async (path: string): Promise<number> => {
    const { result, ms } = await timed(() => ask(server.origin, 'GET', `/v1/predictions${path}`, { token }));
    if (result.status !== 200) throw new Error(`${path} was answered ${codeOf(result)}`);
    return ms;
  };
  // Once names in another language are available, the model is loaded.
  await msOf('/species?language=de');
  const { cursor } = (await ask(server.origin, 'GET', '/v1/predictions?limit=20', { token })).body;
  const rows = [];
  for (const [name, path] of Object.entries({ ...QUESTIONS, 'next page': `?limit=20&cursor=${cursor}` })) {
    const ms: number[] = [];
    while (ms.length < 100) ms.push(await msOf(path));
    rows.push(limitedRow(`history: ${name}`, round(percentile(ms, 0.95)), { unit: 'ms (95 %)', most: MOST_MS }));
  }
  return rows;
};
