/**
 * `npm run trial -- machines away`: PostgreSQL, and then the storage, is unavailable for a while under load. Requests that need it are told
 * so, and nothing is lost.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask, askPrediction, codeOf, renewToken, type SignedIn, signUp, tus } from '../../harness/api.ts';
import { median, round, tally, timed, until } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { injectIntoCluster } from './faults.ts';
import { type Cluster, type PartOptions, startCluster } from './machines.ts';

const AWAY_MS = 20_000;
const ASK_EVERY_MS = 500;
/** Longest time until a request is told that the server is busy. */
const MOST_MS = 15_000;
/** Longest time until /readyz reports that a store is unavailable, or available again. */
const MOST_NOTICE_MS = 10_000;

type Note = (fault: string) => void;
type Request = (origin: string, person: SignedIn, signal: AbortSignal) => Promise<Answer>;

/** Requests that need the storage … */
const storing: Readonly<Record<string, Request>> = {
  send: (origin, { token }, signal) => askPrediction(origin, { ...fallingNotes(3), token, key: randomUUID(), signal }),
  upload: (origin, { token }, signal) => tus.begin(origin, 'later.wav', 1000, { token, signal }),
};
/** … and PostgreSQL; others may succeed. */
const requests = {
  storage: storing,
  PostgreSQL: {
    ...storing,
    list: (origin, { token }, signal) => ask(origin, 'GET', '/v1/predictions', { token, signal }),
    one: (origin, { token }, signal) => ask(origin, 'GET', '/v1/predictions/any', { token, signal }),
    refresh: renewToken,
  } satisfies Record<string, Request>,
};

export async function runAway({ checkout, seed, say }: PartOptions) {
  await using cluster = await startCluster({ webs: 2, workers: 2, checkout });
  const watcher = await signUp(cluster.webs[0]?.origin ?? '');
  const away: object[] = [];
  const take = (store: keyof typeof requests) => async (_: unknown, note: Note) => {
    away.push(await takeAway(store, cluster, watcher, note));
    return `${store} away for ${AWAY_MS / 1000} s`;
  };
  const kinds = { storage: take('storage'), PostgreSQL: take('PostgreSQL') };
  const { report, passed } = await injectIntoCluster(cluster, {
    kinds,
    mostWork: 5,
    longestMomentMs: 5_000,
    count: 2,
    seed,
    say,
  });
  return { report: { away, ...report }, passed };
}

async function takeAway(store: keyof typeof requests, { webs, ...stores }: Cluster, watcher: SignedIn, note: Note) {
  if (store === 'PostgreSQL') await stores.postgres.halt();
  else stores.storage.pause();
  const goneAt = performance.now();
  const isAway = (): boolean => performance.now() - goneAt < AWAY_MS;
  const noticed = webs.map(({ origin, name }) => untilReadyIs(false, origin, note, `${name}, ${store} gone`));
  const tookMs: number[] = [];
  const answers: string[] = [];
  while (isAway()) {
    await Promise.all(
      Object.entries(requests[store]).map(async ([asked, request], index) => {
        const { origin = '' } = webs[index % webs.length] ?? {};
        const signal = AbortSignal.timeout(2 * MOST_MS);
        const { result: answer, ms } = await timed(() => request(origin, watcher, signal).catch(String));
        tookMs.push(ms);
        const said = typeof answer === 'string' ? answer : codeOf(answer);
        answers.push(`${asked}: ${said}`);
        const isBusy = typeof answer !== 'string' && answer.status === 503 && Number(answer.headers.get('retry-after')) > 0;
        // A request still in progress when the store returned may succeed.
        if (isAway() && !isBusy) note(`${store} away: ${asked} is answered ${said}`);
        if (isAway() && ms > MOST_MS) note(`${store} away: ${asked} took ${round(ms / 1000)} s`);
      }),
    );
    await delay(ASK_EVERY_MS);
  }
  if (store === 'PostgreSQL') await stores.postgres.restart();
  else stores.storage.resume();
  const back = webs.map(({ origin, name }) => untilReadyIs(true, origin, note, `${name}, ${store} back`));
  const [noticedMs, backMs] = [await Promise.all(noticed), await Promise.all(back)];
  const renewed = await renewToken(webs[0]?.origin ?? '', watcher);
  if (renewed.status !== 200) note(`${store} back: a session is answered ${codeOf(renewed)}`);
  return {
    away: store,
    'told by /readyz, s': round(Math.max(...noticedMs) / 1000),
    'ready again, s': round(Math.max(...backMs) / 1000),
    'busy after, median s': round(median(tookMs) / 1000, 2),
    'longest s': round(Math.max(...tookMs) / 1000, 2),
    answers: tally(answers),
  };
}

/** @returns milliseconds until /readyz reports this state */
async function untilReadyIs(ready: boolean, origin: string, note: Note, what: string): Promise<number> {
  const isSo = async (): Promise<boolean> => {
    const { status } = await ask(origin, 'GET', '/readyz', { signal: AbortSignal.timeout(MOST_NOTICE_MS) });
    return (status === 200) === ready;
  };
  const patience = { withinMs: MOST_NOTICE_MS, everyMs: ASK_EVERY_MS };
  return until('/readyz says so', () => isSo().catch(() => false), patience).catch((error) => {
    note(`${what}: ${error.message}`);
    return MOST_NOTICE_MS;
  });
}
