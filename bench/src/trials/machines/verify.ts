import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PredictionList, StoredPrediction } from '@chiffchaff/contract';
import { ask, codeOf } from '../../harness/api.ts';
import { type Asker, askAgain } from './ask-again.ts';
import type { Cluster } from './cluster.ts';
import type { Standing } from './ledger.ts';
import { type Person, renewToken } from './people.ts';
import { verifyStores } from './verify-stores.ts';

/** Once nothing is wrong any more, all work must end within this time. */
const ENDS_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 200;

/** Checks everything that was acknowledged, one by one and in the histories, and the stores. @returns faults */
export async function verifyAll(cluster: Cluster, ...about: Parameters<typeof verifyStandings>): Promise<readonly string[]> {
  return [...(await verifyStandings(...about)), ...(await verifyHistories(...about)), ...(await verifyStores(cluster))];
}

/** Checks everything that was acknowledged. @returns faults */
export async function verifyStandings(
  asker: Asker,
  people: readonly Person[],
  standings: readonly Standing[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const person of people) {
    await askAgain(asker, (origin, signal) => renewToken(origin, person, signal));
    const own = standings.filter(({ email }) => email === person.email);
    for (const standing of own) {
      const wrong = await verifyOne(asker, person, standing);
      if (wrong !== null) faults.push(`${standing.key} (${standing.sound}): ${wrong}`);
    }
  }
  return faults;
}

/** Checks that each account's history lists exactly its own predictions, each once. @returns faults */
async function verifyHistories(
  asker: Asker,
  people: readonly Person[],
  standings: readonly Standing[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const person of people) {
    const listed = await listAll(asker, person);
    if (new Set(listed).size !== listed.length) faults.push(`${person.email} is shown a prediction twice`);
    const own = standings.filter(({ email }) => email === person.email);
    const unknown = new Set(listed);
    for (const { predictions, cancelled, key } of own) {
      const id = predictions[0]?.id;
      if (id === undefined) continue;
      const isListed = unknown.delete(id);
      if (cancelled === 'no' && !isListed) faults.push(`${key} was answered and is not in the history`);
      if (cancelled === 'yes' && isListed) faults.push(`${key} was deleted and is in the history`);
    }
    const unsure = own.filter(({ predictions, cancelled }) => predictions.length === 0 && cancelled !== 'yes');
    if (unknown.size > unsure.length) faults.push(`${person.email} is shown ${unknown.size} predictions that it did not send`);
  }
  return faults;
}

async function verifyOne(asker: Asker, person: Person, standing: Standing): Promise<string | null> {
  const { key, accepted, predictions, failure, cancelled } = standing;
  const [told, ...others] = predictions;
  if (others.some((other) => !isDeepStrictEqual(other, told))) return 'was answered in two ways';
  const answer = await whenEnded(asker, person, key);
  const stored: StoredPrediction | null = answer.status === 200 ? answer.body : null;
  if (stored?.state === 'inWork') return `is in work for more than ${ENDS_WITHIN_MS / 1000} s`;
  if (stored === null && answer.status !== 404) return `is answered ${codeOf(answer)}`;
  if (cancelled === 'yes') return stored === null ? null : `was cancelled and is ${stored.state}`;
  if (cancelled === 'asked' && stored === null) return null;
  if (told !== undefined) {
    if (stored === null) return 'was answered and is lost';
    if (stored.state !== 'done') return `was answered and has failed: ${stored.problem.code}`;
    return isDeepStrictEqual(stored.prediction, told) ? null : 'was answered in another way';
  }
  if (stored === null) return accepted && failure === null ? 'was accepted and is lost' : null;
  return stored.state === 'failed' && failure === null ? `has failed: ${stored.problem.code}` : null;
}

async function whenEnded(asker: Asker, { token }: Person, key: string) {
  const deadline = performance.now() + ENDS_WITHIN_MS;
  for (;;) {
    const answer = await askAgain(asker, (origin, signal) => ask(origin, 'GET', `/v1/predictions/${key}`, { token, signal }));
    if (answer === null) throw new Error('Nothing was asked');
    if (answer.status !== 200 || answer.body.state !== 'inWork' || performance.now() > deadline) return answer;
    await delay(LOOK_EVERY_MS);
  }
}

async function listAll(asker: Asker, { token }: Person): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await askAgain(asker, (origin, signal) =>
      ask(origin, 'GET', `/v1/predictions?limit=200${query}`, { token, signal }),
    );
    const page: PredictionList | undefined = answer?.body;
    if (answer?.status !== 200 || page === undefined) throw new Error(`A history was answered ${answer && codeOf(answer)}`);
    ids.push(...page.predictions.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== null);
  return ids;
}
