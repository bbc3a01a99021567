import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { askIdentity } from '../../harness/api.ts';
import { median, round } from '../../harness/measures.ts';
import { password } from '../../harness/people.ts';
import { type StartedServer, startServer } from '../../harness/server.ts';
import type { Attack } from './attack.ts';

const samples = 400;
const knownAddresses = 20;
/** Number of `GET /healthz` after each request, on the same connection. */
const probes = 12;
/** Longer than the longest pause before a mail is sent. */
const watchMs = 5500;
const watched = 24;
/**
 * The area under the curve that counts as telling the two kinds apart. Guessing gives 0.5; with 400 samples, chance alone moves it by up
 * to 0.06 in 95 of 100 runs.
 */
const tellsFrom = 0.6;

/**
 * Requests password resets for addresses with and without an account in random order, each followed immediately by `GET /healthz` on the
 * same connection, to find out whether these take longer for one kind than for the other. Then watches some requests for as long as their
 * mail may be delayed; these are too few to report a difference as a fault. The mail server runs in its own thread, and attempt limits
 * are lifted.
 */
export const resetTiming: Attack = async ({ checkout, say }) => {
  const sink = new Worker(new URL('mail-sink.ts', import.meta.url));
  const [port] = await once(sink, 'message');
  const server = await startServer(
    {
      ...withoutAttemptLimits,
      CODE_MAIL_LIMIT_PER_CLIENT: '1000000/3600',
      CODE_MAIL_LIMIT_PER_ADDRESS: '1000000/3600',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    },
    checkout === undefined ? {} : { checkout },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const known = await signUpMany(server);
    const kinds = shuffle(Array.from({ length: samples }, (_, index) => index % 2 === 0));
    const measured: { readonly isKnown: boolean; readonly sentMs: number; readonly firstMs: number; readonly allMs: number }[] =
      [];
    for (const [index, isKnown] of kinds.entries()) {
      const email = isKnown ? (known[index % knownAddresses] ?? '') : `${randomUUID()}@example.org`;
      measured.push({ isKnown, ...(await probe(server.origin, agent, email)) });
      if (index % 100 === 99) say(`${index + 1} of ${samples} requests`);
      await sleep(30);
    }
    const watches: { readonly isKnown: boolean; readonly slowestMs: number }[] = [];
    await sleep(watchMs);
    for (const [index, isKnown] of kinds.slice(0, watched).entries()) {
      const email = isKnown ? (known[index % knownAddresses] ?? '') : `${randomUUID()}@example.org`;
      watches.push({ isKnown, slowestMs: await watch(server.origin, agent, email) });
    }
    const warm = measured.slice(20);
    const figures = {
      sentMs: compare(warm, ({ sentMs }) => sentMs),
      firstMs: compare(warm, ({ firstMs }) => firstMs),
      allMs: compare(warm, ({ allMs }) => allMs),
    };
    const faults = Object.entries(figures).flatMap(([name, { areaUnderCurve }]) =>
      Math.abs(areaUnderCurve - 0.5) > tellsFrom - 0.5
        ? [`${name} tells known from unknown addresses: area under the curve ${areaUnderCurve}`]
        : [],
    );
    return {
      samples: warm.length,
      ...figures,
      watched,
      watchedSlowestMs: compare(watches, ({ slowestMs }) => slowestMs),
      faults,
    };
  } finally {
    agent.destroy();
    await server.stop();
    await sink.terminate();
  }
};

async function signUpMany({ origin }: StartedServer): Promise<string[]> {
  const emails = Array.from({ length: knownAddresses }, () => `${randomUUID()}@example.org`);
  for (const email of emails) await askIdentity(origin, 'signUp', { email, password });
  return emails;
}

async function probe(origin: string, agent: Agent, email: string) {
  const body = JSON.stringify({ requestType: 'PASSWORD_RESET', email });
  const sentMs = await timed(origin, agent, 'POST', '/v1/accounts:sendOobCode?key=trial', body);
  const firstMs = await timed(origin, agent, 'GET', '/healthz');
  let allMs = firstMs;
  for (let count = 1; count < probes; count++) allMs += await timed(origin, agent, 'GET', '/healthz');
  return { sentMs, firstMs, allMs };
}

async function timed(origin: string, agent: Agent, method: string, path: string, body?: string): Promise<number> {
  const began = performance.now();
  const asked = request(origin + path, {
    agent,
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
  });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  answer.resume();
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`);
  return performance.now() - began;
}

/** @returns the slowest response while a mail may be sent */
async function watch(origin: string, agent: Agent, email: string): Promise<number> {
  await probe(origin, agent, email);
  let slowestMs = 0;
  for (const until = performance.now() + watchMs; performance.now() < until; ) {
    slowestMs = Math.max(slowestMs, await timed(origin, agent, 'GET', '/healthz'));
  }
  return slowestMs;
}

/** How well the measure tells the two kinds apart: the probability that a known address takes longer than an unknown one. */
function compare<Sample extends { readonly isKnown: boolean }>(
  samples: readonly Sample[],
  measureOf: (sample: Sample) => number,
) {
  const known = samples.filter(({ isKnown }) => isKnown).map(measureOf);
  const unknown = samples.filter(({ isKnown }) => !isKnown).map(measureOf);
  let wins = 0;
  for (const one of known) for (const other of unknown) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return {
    knownMedianMs: round(median(known), 3),
    unknownMedianMs: round(median(unknown), 3),
    areaUnderCurve: round(wins / (known.length * unknown.length), 3),
  };
}

function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
