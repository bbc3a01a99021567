import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { password } from '../../people.ts';
import { type StartedServer, startServer } from '../../server.ts';
import { askIdentity } from '../api.ts';
import { percentile, round } from '../measures.ts';
import { withoutAttemptLimits } from '../people.ts';
import type { Attack } from './attack.ts';

const samples = 400;
const knownAddresses = 20;
/** `GET /healthz` that follow each request on its connection. */
const probes = 12;
/** What a guess without knowledge would get is 0.5; sampling alone moves 400 by 0.03 either way in 95 of 100 runs. */
const tellsFrom = 0.56;

/**
 * Asks for resets of addresses with and without an account in random order, each followed at once by `GET /healthz` on the same
 * connection: whether those take longer for one kind than for the other. Both mail server and attempts limits are out of the way.
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
    const warm = measured.slice(20);
    const figures = Object.fromEntries(
      (['sentMs', 'firstMs', 'allMs'] as const).map((name) => {
        const [ofKnown, ofUnknown] = [true, false].map((kind) =>
          warm.filter(({ isKnown }) => isKnown === kind).map((one) => one[name]),
        );
        return [name, compare(ofKnown ?? [], ofUnknown ?? [])];
      }),
    );
    const faults = Object.entries(figures).flatMap(([name, { areaUnderCurve }]) =>
      Math.abs(areaUnderCurve - 0.5) > tellsFrom - 0.5
        ? [`${name} tells known from unknown addresses: area under the curve ${areaUnderCurve}`]
        : [],
    );
    return { samples: warm.length, ...figures, faults };
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

/** How well one kind is told from the other: the chance that one of the first takes longer than one of the second. */
function compare(known: readonly number[], unknown: readonly number[]) {
  let wins = 0;
  for (const one of known) for (const other of unknown) wins += one > other ? 1 : one === other ? 0.5 : 0;
  return {
    knownMedianMs: round(percentile(known, 0.5), 3),
    unknownMedianMs: round(percentile(unknown, 0.5), 3),
    areaUnderCurve: round(wins / (known.length * unknown.length), 3),
  };
}

function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
