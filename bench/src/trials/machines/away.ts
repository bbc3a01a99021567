import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask, askPrediction, codeOf } from '../../harness/api.ts';
import { median, round } from '../../harness/measures.ts';
import { createChance } from '../../harness/random.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { makeSounds } from '../crash/sounds.ts';
import { type Asker, isLost } from './ask-again.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { openLedger } from './ledger.ts';
import { type Person, renewToken, signUpPerson, startPeople } from './people.ts';
import { tableOf } from './table.ts';
import { verifyAll } from './verify.ts';
import { watchAnswers } from './verify-stores.ts';

const persons = 4;
const awayMs = 20_000;
const loadMs = 5_000;
const askEveryMs = 500;
/** Longest time until a request is told that the server is busy. */
const mostMs = 15_000;
/** Longest time until /readyz reports that a store is unavailable, or available again. */
const mostNoticeMs = 10_000;
const tus = { 'tus-resumable': '1.0.0' } as const;

/** The requests that need each store; the other store remains available, so other requests may succeed. */
const requests = {
  PostgreSQL: ['list', 'one', 'send', 'upload', 'refresh'],
  storage: ['send', 'upload'],
} as const;
type Asked = (typeof requests)['PostgreSQL'][number];

/** Makes PostgreSQL, and then the storage, unavailable for a while under load. */
export async function runAway(say: (line: string) => void) {
  const cluster = await startCluster({ webs: 2, workers: 2 });
  const wrong: string[] = [];
  const note = (fault: string): void => {
    wrong.push(fault);
    say(`✗ ${fault}`);
  };
  try {
    await watchAnswers(cluster);
    const origins = cluster.webs.map(({ origin }) => origin);
    const people: Person[] = [];
    for (let one = 0; one < persons; one += 1) people.push(await signUpPerson(origins[0] ?? ''));
    const watcher = await signUpPerson(origins[0] ?? '');
    const ledger = openLedger(join(tmpdir(), 'ledger.jsonl'));
    const life = startPeople({
      ledger,
      people,
      origins,
      mayBreak: true,
      seed: 1,
      sounds: await makeSounds(),
      onFault: note,
    });
    const table: Record<string, string | number>[] = [];
    for (const store of ['PostgreSQL', 'storage'] as const) {
      await delay(loadMs);
      table.push(await takeAway(store, cluster, watcher, note));
    }
    await delay(loadMs);
    await life.stop();
    const asker: Asker = { origins, chance: createChance(1), mayBreak: false, counts: { busy: 0, broken: 0 } };
    const standings = ledger.read();
    for (const found of await verifyAll(cluster, asker, people, standings)) note(found);
    say(tableOf(table));
    return { report: { table, recordings: standings.length, counts: life.counts, wrong }, passed: wrong.length === 0 };
  } finally {
    await cluster.stop();
  }
}

async function takeAway(
  store: keyof typeof requests,
  { webs, postgres, storage }: Cluster,
  watcher: Person,
  note: (fault: string) => void,
): Promise<Record<string, string | number>> {
  if (store === 'PostgreSQL') await postgres.halt();
  else storage.pause();
  const goneAt = performance.now();
  const noticed = webs.map(({ origin, name }) => untilReadyIs(false, origin, note, `${name}, ${store} gone`));
  const tookMs: number[] = [];
  const answers = new Map<string, number>();
  while (performance.now() - goneAt < awayMs) {
    await Promise.all(
      requests[store].map(async (asked, index) => {
        const { origin = '' } = webs[index % webs.length] ?? {};
        const begin = performance.now();
        const answer = await send(asked, origin, watcher).catch((error: unknown) => error);
        const ms = performance.now() - begin;
        tookMs.push(ms);
        const said = isAnswer(answer) ? codeOf(answer) : String(answer);
        answers.set(`${asked}: ${said}`, (answers.get(`${asked}: ${said}`) ?? 0) + 1);
        const isBusy = isAnswer(answer) && answer.status === 503 && Number(answer.headers.get('retry-after')) > 0;
        // A request still in progress when the store returned may succeed.
        if (!isBusy && performance.now() - goneAt < awayMs) note(`${store} away: ${asked} is answered ${said}`);
        if (ms > mostMs && performance.now() - goneAt < awayMs) note(`${store} away: ${asked} took ${round(ms / 1000)} s`);
      }),
    );
    await delay(askEveryMs);
  }
  if (store === 'PostgreSQL') await postgres.restart();
  else storage.resume();
  const [noticedMs, backMs] = [
    await Promise.all(noticed),
    await Promise.all(webs.map(({ origin, name }) => untilReadyIs(true, origin, note, `${name}, ${store} back`))),
  ];
  const renewed = await renewToken(webs[0]?.origin ?? '', watcher);
  if (renewed.status !== 200) note(`${store} back: a session is answered ${codeOf(renewed)}`);
  return {
    away: store,
    'told by /readyz, s': round(Math.max(...noticedMs) / 1000),
    'ready again, s': round(Math.max(...backMs) / 1000),
    'busy after, median s': round(median(tookMs) / 1000, 2),
    'longest s': round(Math.max(...tookMs) / 1000, 2),
    answers: [...answers].map(([said, times]) => `${times} × ${said}`).join(', '),
  };
}

const isAnswer = (said: unknown): said is Answer => typeof said === 'object' && said !== null && 'headers' in said;

function send(asked: Asked, origin: string, person: Person): Promise<Answer> {
  const { token } = person;
  const signal = AbortSignal.timeout(2 * mostMs);
  switch (asked) {
    case 'list':
      return ask(origin, 'GET', '/v1/predictions', { token, signal });
    case 'one':
      return ask(origin, 'GET', '/v1/predictions/any', { token, signal });
    case 'send': {
      const { buffer, name } = fallingNotes(3);
      return askPrediction(origin, { name, bytes: new Uint8Array(buffer), token, key: randomUUID(), signal });
    }
    case 'upload':
      return ask(origin, 'POST', '/v1/uploads', { token, signal, headers: { ...tus, 'upload-length': '1000' } });
    case 'refresh':
      return renewToken(origin, person, signal);
  }
}

/** @returns milliseconds until /readyz reports this state */
async function untilReadyIs(ready: boolean, origin: string, note: (fault: string) => void, what: string): Promise<number> {
  const begin = performance.now();
  for (;;) {
    const signal = AbortSignal.timeout(mostNoticeMs);
    const status = await ask(origin, 'GET', '/readyz', { signal }).then(
      (answer) => answer.status,
      (error: unknown) => (isLost(error) ? 0 : Number.NaN),
    );
    if ((status === 200) === ready && status !== 0) return performance.now() - begin;
    if (performance.now() - begin > mostNoticeMs) {
      note(`${what}: /readyz says ${status} after ${mostNoticeMs / 1000} s`);
      return performance.now() - begin;
    }
    await delay(askEveryMs);
  }
}
