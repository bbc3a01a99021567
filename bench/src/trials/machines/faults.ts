import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, askPrediction, codeOf } from '../../harness/api.ts';
import { median, round } from '../../harness/measures.ts';
import { type Chance, createChance } from '../../harness/random.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { shuffle } from '../crash/actor.ts';
import { makeSounds } from '../crash/sounds.ts';
import { type Asker, askAgain } from './ask-again.ts';
import { type Cluster, type NamedLine, startCluster } from './cluster.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { Machine } from './machine.ts';
import { type People, type Person, signUpPerson, startPeople } from './people.ts';
import { tableOf } from './table.ts';
import { verifyAll, verifyStandings } from './verify.ts';
import { watchAnswers } from './verify-stores.ts';

export interface FaultsOptions {
  /** number of faults */
  readonly faults: number;
  readonly seed: number;
}

/** What goes wrong: each kind once per round, in random order. */
const kinds = ['worker', 'web', 'PostgreSQL', 'storage', 'cut line', 'stalled line', 'slow line'] as const;
type Kind = (typeof kinds)[number];

/** What happened, and times since its end. */
interface Happened {
  readonly kind: Kind;
  readonly what: string;
  /** until every web machine had answered a new recording, and every machine was ready */
  readonly recoveredMs: number;
  /** until everything that was in progress when it happened had ended */
  readonly settledMs: number;
}

const webs = 2;
const workers = 2;
const persons = 6;
const longestMomentMs = 1500;
const shortestDownMs = 500;
const longestDownMs = 6000;
/** One in this many stalled lines lasts so long that waiting requests give up. */
const longStallOfEvery = 5;
const longStallMs = 40_000;
/** how much later each piece arrives over a slow line */
const slowMs = 100;
const mostRecoveryMs = 30_000;
const givenUpMs = 180_000;
const probePatienceMs = 5_000;
const lookEveryMs = 100;
/** number of predictions that are checked after each fault */
const sample = 10;

export async function runFaults({ faults: count, seed }: FaultsOptions, say: (line: string) => void) {
  const begin = performance.now();
  const chance = createChance(seed);
  const faults: string[] = [];
  const note = (found: readonly string[]): void => {
    faults.push(...found);
    for (const fault of found) say(`✗ ${fault}`);
  };
  const cluster = await startCluster({ webs, workers, hasLines: true });
  try {
    await watchAnswers(cluster);
    const origins = cluster.webs.map(({ origin }) => origin);
    const ledger = openLedger(join(tmpdir(), 'ledger.jsonl'));
    const people: Person[] = [];
    for (let one = 0; one < persons; one += 1) people.push(await signUpPerson(origins[0] ?? ''));
    const prober = await signUpPerson(origins[0] ?? '');
    const everybody = [...people, prober];
    const asker: Asker = { origins, chance: createChance(seed + 1), mayBreak: true, counts: { busy: 0, broken: 0 } };
    const life = startPeople({
      ledger,
      people,
      origins,
      mayBreak: true,
      seed: seed + 2,
      sounds: await makeSounds(),
      onFault: (fault) => note([fault]),
    });
    const happened: Happened[] = [];
    let turns: Kind[] = [];
    let stalls = 0;
    for (let one = 1; one <= count; one += 1) {
      if (turns.length === 0) turns = shuffle(kinds, chance);
      const kind = turns.pop() ?? 'worker';
      if (kind === 'stalled line') stalls += 1;
      await delay(chance.below(longestMomentMs));
      const before = life.inFlight();
      const isLong = kind === 'stalled line' && stalls % longStallOfEvery === 0;
      const what = await happen(kind, cluster, chance, isLong ? longStallMs : downFor(chance));
      const { ms: recoveredMs, last } = await recover(cluster, { prober, ledger, asker });
      const settledMs = await settle(life, before, performance.now() - recoveredMs);
      happened.push({ kind, what, recoveredMs, settledMs });
      say(
        `${new Date().toISOString()} ${one}: ${what}; recovered after ${seconds(recoveredMs)} (last: ${last}), what was on its way ended after ${seconds(settledMs)}`,
      );
      if (recoveredMs > mostRecoveryMs) note([`${what}: recovered after ${seconds(recoveredMs)}`]);
      const answered = ledger.read().filter(({ predictions, cancelled }) => predictions.length > 0 && cancelled === 'no');
      note(await verifyStandings(asker, everybody, shuffle(answered, chance).slice(0, sample)));
    }
    await life.stop();
    say('asking for everything that was acknowledged');
    const standings = ledger.read();
    note(await verifyAll(cluster, asker, everybody, standings));
    for (const line of ledger.linesAbout(faults.join())) say(line);
    const table = kinds.map((kind) => figuresOf(kind, happened));
    say(tableOf(table));
    const { counts } = life;
    const notTried = [...kinds.filter((kind) => count >= kinds.length && !happened.some((one) => one.kind === kind))];
    return {
      report: {
        faults: count,
        seed,
        seconds: round((performance.now() - begin) / 1000),
        kinds: table,
        recordings: standings.length,
        counts,
        wrong: faults,
        notTried,
      },
      passed: faults.length === 0 && notTried.length === 0,
    };
  } finally {
    await cluster.stop();
  }
}

const seconds = (ms: number): string => `${round(ms / 1000)} s`;

const downFor = (chance: Chance): number => shortestDownMs + chance.below(longestDownMs - shortestDownMs);

/** Causes the fault, and waits until it is over. @returns what it was */
async function happen(kind: Kind, cluster: Cluster, chance: Chance, downMs: number): Promise<string> {
  const killMachine = async (machines: readonly Machine[]): Promise<string> => {
    const machine = chance.pick(machines);
    await machine?.kill();
    return `${machine?.name} killed`;
  };
  const impair = async (how: string, act: (line: NamedLine) => void): Promise<string> => {
    const line = chance.pick(cluster.lines);
    if (line === undefined) throw new Error('There is no line');
    act(line);
    await delay(downMs);
    line.mend();
    return `line from ${line.from} to ${line.to} ${how} for ${seconds(downMs)}`;
  };
  switch (kind) {
    case 'worker':
      return killMachine(cluster.workers);
    case 'web':
      return killMachine(cluster.webs);
    case 'PostgreSQL':
      await cluster.postgres.kill();
      await delay(downMs);
      await cluster.postgres.restart();
      return `PostgreSQL killed, away for ${seconds(downMs)}`;
    case 'storage':
      await cluster.storage.kill();
      await delay(downMs);
      await cluster.storage.restart();
      return `storage killed, away for ${seconds(downMs)}`;
    case 'cut line':
      return impair('cut', (line) => line.cut());
    case 'stalled line':
      return impair('stalled', (line) => line.stall());
    case 'slow line':
      return impair('slowed', (line) => line.slow(slowMs));
  }
}

interface Recovered {
  readonly ms: number;
  /** what took the longest */
  readonly last: string;
}

/** Waits until each web machine answers a new recording, and all machines are ready. */
async function recover(
  { webs, workers }: Cluster,
  { prober, ledger, asker }: { readonly prober: Person; readonly ledger: Ledger; readonly asker: Asker },
): Promise<Recovered> {
  const begin = performance.now();
  let last = '';
  const { buffer, name } = fallingNotes(3, 'probe.wav');
  const bytes = new Uint8Array(buffer);
  const answered = webs.map(async ({ origin, name: machine }) => {
    const key = randomUUID();
    ledger.write({ what: 'sent', key, email: prober.email, sound: name });
    const answer = await askAgain({ ...asker, origins: [origin] }, (at, signal) =>
      askPrediction(at, {
        name,
        bytes,
        key,
        token: prober.token,
        signal: AbortSignal.any([signal, AbortSignal.timeout(probePatienceMs)]),
      }),
    );
    if (answer?.status !== 200) throw new Error(`${origin} answers a new recording with ${answer && codeOf(answer)}`);
    ledger.write({ what: 'answered', key, prediction: answer.body });
    last = `an answer of ${machine}`;
  });
  const ready = [...webs, ...workers].map(async ({ origin, name: machine }) => {
    const isReady = () => ask(origin, 'GET', '/readyz', { signal: AbortSignal.timeout(probePatienceMs) }).catch(() => null);
    while ((await isReady())?.status !== 200) {
      if (performance.now() - begin > givenUpMs) throw new Error(`${origin} is not ready again after ${seconds(givenUpMs)}`);
      await delay(lookEveryMs);
    }
    last = `${machine} ready`;
  });
  await Promise.all([...answered, ...ready]);
  return { ms: performance.now() - begin, last };
}

async function settle(life: People, before: readonly string[], since: number): Promise<number> {
  while (life.inFlight().some((key) => before.includes(key))) await delay(lookEveryMs);
  return performance.now() - since;
}

function figuresOf(kind: Kind, happened: readonly Happened[]) {
  const own = happened.filter((one) => one.kind === kind);
  const figures = (pick: (one: Happened) => number) => own.map((one) => pick(one) / 1000);
  const recovered = figures(({ recoveredMs }) => recoveredMs);
  const settled = figures(({ settledMs }) => settledMs);
  return {
    kind,
    times: own.length,
    'recovered, median s': round(median(recovered)),
    'recovered, longest s': round(Math.max(...recovered)),
    'all ended, median s': round(median(settled)),
    'all ended, longest s': round(Math.max(...settled)),
  };
}
