import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { explainHistory } from '@chiffchaff/server/testing/explain-history';
import { fillHistory, type NamedSpecies } from '@chiffchaff/server/testing/fill-history';
import { isPostgresInstalled, startPostgres } from '@chiffchaff/server/testing/start-postgres';
import { openTestDatabase } from '@chiffchaff/server/testing/test-database';
import { signUpSomebody, withoutAttemptLimits } from '../../harness/accounts.ts';
import { ask } from '../../harness/api.ts';
import { percentile, round } from '../../harness/measures.ts';
import { createChance } from '../../harness/random.ts';
import { makeDataFolder, startServer } from '../../harness/server.ts';

export interface HistoryOptions {
  readonly predictions: number;
  readonly accounts: number;
  /** predictions of the largest account, at least */
  readonly heavy: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** Accounts that send requests, in addition to the largest; the others only have rows. */
const ASKING = 20;
const ASKED_BY_EACH = 10;
/** Of the largest account alone. Of ten, the slowest would decide. */
const ASKED_ALONE = 100;
const MOST_MS = 50;
const ONE_IN = 20;
const NAMES = fileURLToPath(new URL('../../../../models/birdnet-v2.4/names/en_us.txt', import.meta.url));
/** The last two are names in a language other than that of the stored predictions. */
const SEARCHES = ['search=sparrow', 'search=no%20such%20bird', 'search=amsel&language=de', 'search=specht&language=de'];
const environment = { OPEN_PREDICTION: 'false', LOG_LEVEL: 'error', ...withoutAttemptLimits };

type Kind = 'sqlite' | 'postgres';

interface Person {
  readonly token: string;
  readonly accountId: string;
}

/** Measures the response times of a long history over HTTP, one request at a time, and explains its statements, on both databases. */
export async function runHistory(options: HistoryOptions) {
  const report: Partial<Record<Kind, Awaited<ReturnType<typeof measure>>>> = { sqlite: await measure(options) };
  if (isPostgresInstalled()) {
    const postgres = await startPostgres({ fsync: true });
    process.env.TEST_DATABASE_URL = postgres.url;
    try {
      report.postgres = await measure(options);
    } finally {
      delete process.env.TEST_DATABASE_URL;
      await postgres.stop();
    }
  } else options.say('PostgreSQL is not installed: only SQLite is measured');
  const passed = Object.values(report)
    .flatMap(({ everybody, busiestAlone }) => [...Object.values(everybody), ...Object.values(busiestAlone)])
    .every(({ p95Ms }) => p95Ms <= MOST_MS);
  return { report: { wantedMs: MOST_MS, ...report }, passed };
}

/** Uses SQLite, or PostgreSQL if `TEST_DATABASE_URL` is set. */
async function measure({ predictions, accounts, heavy, seed, say }: HistoryOptions) {
  const dataDir = await makeDataFolder();
  try {
    const first = await startServer(environment, { dataDir });
    const people: Person[] = [];
    for (let count = 0; count <= ASKING; count += 1) people.push(personOf(await signUpSomebody(first.origin)));
    await first.stop();
    const [busiest, ...others] = people;
    if (busiest === undefined) throw new Error('No account was created');

    const database = await openTestDatabase(dataDir);
    say(`${database.kind}: writing ${predictions} predictions of ${accounts} accounts`);
    const ids = others.map(({ accountId }) => accountId);
    while (ids.length < accounts - 1) ids.push(`account-${ids.length}`);
    const everyNth = Math.floor(predictions / heavy);
    const accountIds = Array.from({ length: predictions }, (_, index) =>
      index % everyNth === 0 ? busiest.accountId : (ids[index % ids.length] ?? ''),
    );
    const random = createChance(seed).next;
    await fillHistory({ database, accountIds, species: readSpecies(), random, nowMs: Date.now() });
    await database.close();

    const times = await askServer(dataDir, { people, busiest, say });
    return { ...times, plans: await explain(dataDir, busiest.accountId) };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Asking {
  readonly people: readonly Person[];
  readonly busiest: Person;
  readonly say: HistoryOptions['say'];
}

async function askServer(dataDir: string, { people, busiest, say }: Asking) {
  const server = await startServer(environment, { dataDir });
  try {
    // Once names in another language are available, the model is loaded.
    await timesOf(server.origin, [busiest], 'species?language=de');
    say('asking');
    return {
      everybody: await askAll(server.origin, repeated(people, ASKED_BY_EACH)),
      busiestAlone: await askAll(server.origin, repeated([busiest], ASKED_ALONE)),
    };
  } finally {
    await server.stop();
  }
}

async function explain(dataDir: string, accountId: string) {
  const database = await openTestDatabase(dataDir);
  try {
    return await explainHistory(database, accountId);
  } finally {
    await database.close();
  }
}

/** @param people in the order in which they ask */
async function askAll(origin: string, people: readonly Person[]) {
  const searches: number[] = [];
  for (const search of SEARCHES) searches.push(...(await timesOf(origin, people, `?${search}`)));
  return {
    list: summarize(await timesOf(origin, people, '?limit=20')),
    nextPage: summarize(await timesOfNextPages(origin, people)),
    search: summarize(searches),
    bird: summarize(await timesOf(origin, people, '?species=Parus%20major')),
    month: summarize(await timesOf(origin, people, '?from=2020-05-01&to=2020-05-31')),
    place: summarize(await timesOf(origin, people, '?latitude=10&longitude=10')),
    days: summarize(await timesOf(origin, people, 'days')),
    species: summarize(await timesOf(origin, people, 'species?language=de')),
  };
}

async function timesOf(origin: string, people: readonly Person[], query: string): Promise<number[]> {
  const path = query.startsWith('?') ? `/v1/predictions${query}` : `/v1/predictions/${query}`;
  const times: number[] = [];
  for (const person of people) times.push(await timeOf(origin, person, path));
  return times;
}

async function timesOfNextPages(origin: string, people: readonly Person[]): Promise<number[]> {
  const times: number[] = [];
  for (const person of people) {
    const { body } = await ask(origin, 'GET', '/v1/predictions?limit=20', { token: person.token });
    const path = `/v1/predictions?limit=20&cursor=${body.cursor}`;
    times.push(await timeOf(origin, person, path));
  }
  return times;
}

async function timeOf(origin: string, { token }: Person, path: string): Promise<number> {
  const start = performance.now();
  const { status, body } = await ask(origin, 'GET', path, { token });
  if (status !== 200) throw new Error(`${path} was answered ${status} ${JSON.stringify(body)}`);
  return performance.now() - start;
}

const repeated = (people: readonly Person[], times: number): readonly Person[] =>
  Array.from({ length: times }, () => people).flat();

const summarize = (times: readonly number[]) => ({
  requests: times.length,
  p50Ms: round(percentile(times, 0.5)),
  p95Ms: round(percentile(times, 0.95)),
});

function personOf(token: string): Person {
  const claims: { readonly sub: string } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return { token, accountId: claims.sub };
}

/** One in twenty of the species that the model knows. */
function readSpecies(): readonly NamedSpecies[] {
  const lines = readFileSync(NAMES, 'utf8').trim().split('\n');
  return lines.flatMap((line, index) => {
    const [scientificName, commonName] = line.split('_');
    return index % ONE_IN > 0 || scientificName === undefined || commonName === undefined ? [] : [{ scientificName, commonName }];
  });
}
