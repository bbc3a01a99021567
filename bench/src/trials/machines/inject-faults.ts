/**
 * Lets people use machines while one thing after another dies or breaks, and measures how soon everything is back; then checks everything
 * that was acknowledged. `crash.ts`, `faults.ts` and `away.ts` say what dies or breaks.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../../harness/api.ts';
import { median, round, until } from '../../harness/measures.ts';
import { type Chance, createChance } from '../../harness/random.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { type Account, type Counts, createLedger, type Ledger } from './ledger.ts';
import type { Machine, PartOptions } from './machines.ts';
import { type Asker, join, makeSounds, newRecording, type PeopleOptions, send, startPeople } from './people.ts';
import { verifyAll } from './verify.ts';

interface Trial extends Pick<PartOptions, 'seed' | 'say'>, Pick<PeopleOptions, 'round' | 'onBreak'> {
  /** number of faults */
  readonly count: number;
  readonly machines: { readonly webs: readonly Machine[]; readonly workers: readonly Machine[] };
  /** Each causes a fault, waits until it is over, and returns what it was. Each once per round, in random order. */
  readonly kinds: Readonly<Record<string, (chance: Chance, note: (fault: string) => void) => Promise<string>>>;
  /** Numbers of people who share their accounts, so that they get in each other's way. */
  readonly groups: readonly number[];
  /**
   * The next fault happens when a random number of requests below this has been acknowledged, and a random time has passed. Counting work
   * instead of time makes a slow machine try as much as a fast one.
   */
  readonly mostWork: number;
  readonly longestMomentMs: number;
  /** What must have been acknowledged at least once. */
  readonly required?: readonly (keyof Counts)[];
  /** Makes an end of what is in progress when people have stopped. */
  readonly cutOff?: () => Promise<void>;
  /** Checks what is left when everything that was acknowledged has been verified. */
  readonly check: (asker: Asker, note: (fault: string) => void) => Promise<void>;
}

/** What happened, and milliseconds since its end. */
interface Happened {
  readonly kind: string;
  /** until every web machine had answered a new recording, and every machine was ready */
  readonly recoveredMs: number;
  /** until everything that was in progress when it happened had ended */
  readonly settledMs: number;
}

/** The next fault happens after this long, however little was acknowledged. */
const LONGEST_UNTIL_NEXT_MS = 20_000;
const MOST_RECOVERY_MS = 30_000;
const GIVEN_UP_MS = 180_000;
const PROBE_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 50;

export async function injectFaults({ machines, kinds, groups, count, seed, say, ...trial }: Trial) {
  const begin = performance.now();
  const chance = createChance(seed);
  const ledger = createLedger();
  const faults: string[] = [];
  const note = (fault: string): void => {
    faults.push(fault);
    say(`✗ ${fault}`);
  };
  const origins = machines.webs.map(({ origin }) => origin);
  const asker: Asker = { origins, chance: createChance(seed + 1), ledger, onBreak: 'askAgain' };
  const mine: Account[] = [];
  await join(asker, mine);
  const [prober] = mine;
  if (prober === undefined) throw new Error('There is no account');
  const accountsOf = groups.flatMap((size) => Array<Account[]>(size).fill([]));
  const people = { round: trial.round, onBreak: trial.onBreak, origins, ledger, accountsOf };
  const stopPeople = startPeople({ ...people, sounds: await makeSounds(), seed: seed + 2, onFault: note });
  using ending = new DisposableStack();
  ending.defer(() => void stopPeople());
  const happened: Happened[] = [];
  let turns: string[] = [];
  for (let one = 1; one <= count; one += 1) {
    if (turns.length === 0) turns = chance.shuffle(Object.keys(kinds));
    const kind = turns.pop() ?? '';
    const enough = workOf(ledger) + chance.below(trial.mostWork);
    const isEnough = until('enough is acknowledged', () => workOf(ledger) >= enough, { withinMs: LONGEST_UNTIL_NEXT_MS });
    await isEnough.catch(() => {});
    await delay(chance.below(trial.longestMomentMs));
    const before = flyingIn(ledger);
    const what = (await kinds[kind]?.(chance, note)) ?? '';
    const { recoveredMs, last } = await recover(machines, prober, asker);
    const stillFlying = (): boolean => flyingIn(ledger).some((sent) => before.includes(sent));
    const patience = { withinMs: GIVEN_UP_MS, everyMs: LOOK_EVERY_MS };
    const settledMs = recoveredMs + (await until('what was in progress has ended', () => !stillFlying(), patience));
    happened.push({ kind, recoveredMs, settledMs });
    const times = `recovered after ${seconds(recoveredMs)} (last: ${last}), what was on its way ended after ${seconds(settledMs)}`;
    say(`${new Date().toISOString()} ${one}: ${what}; ${times}`);
    if (recoveredMs > MOST_RECOVERY_MS) note(`${what}: recovered after ${seconds(recoveredMs)}`);
  }
  const stopped = stopPeople();
  await trial.cutOff?.();
  await stopped;
  say('asking for everything that was acknowledged');
  await verifyAll(asker, note);
  const standings = ledger.standings();
  await trial.check(asker, note);
  const table = Object.keys(kinds).map((kind) => figuresOf(kind, happened));
  const untried = [
    ...table.flatMap(({ kind, times }) => (times === 0 && count >= table.length ? [kind] : [])),
    ...(trial.required ?? []).filter((name) => ledger.counts[name] === 0),
  ];
  const took = round((performance.now() - begin) / 1000);
  return { faults, untried, seed, seconds: took, kinds: table, counts: ledger.counts, standings };
}

export const seconds = (ms: number): string => `${round(ms / 1000)} s`;

/** How much was acknowledged. */
function workOf({ counts: { busy, broken, ...acknowledged } }: Ledger): number {
  return Object.values(acknowledged).reduce((sum, times) => sum + times, 0);
}

const flyingIn = ({ accounts }: Ledger) => accounts.flatMap(({ sent }) => sent.filter(({ flying }) => flying > 0));

/** Waits until each web machine answers a new recording, and all machines are ready. @returns what took the longest */
async function recover({ webs, workers }: Trial['machines'], prober: Account, asker: Asker) {
  const begin = performance.now();
  let last = '';
  const probe = fallingNotes(3, 'probe.wav');
  const answered = webs.map(async ({ origin, name: machine }) => {
    const person = { asker: { ...asker, origins: [origin], patienceMs: PROBE_PATIENCE_MS }, account: prober };
    await send(person, newRecording({ ...person, sounds: [probe] }));
    last = `an answer of ${machine}`;
  });
  const ready = [...webs, ...workers].map(async ({ origin, name: machine }) => {
    const isReady = async () =>
      (await ask(origin, 'GET', '/readyz', { signal: AbortSignal.timeout(PROBE_PATIENCE_MS) })).status === 200;
    await until(`${machine} is ready`, () => isReady().catch(() => false), { withinMs: GIVEN_UP_MS, everyMs: LOOK_EVERY_MS });
    last = `${machine} ready`;
  });
  await Promise.all([...answered, ...ready]);
  return { recoveredMs: performance.now() - begin, last };
}

function figuresOf(kind: string, happened: readonly Happened[]) {
  const own = happened.filter((one) => one.kind === kind);
  const inSeconds = (ms: readonly number[]) => ({ median: round(median(ms) / 1000), longest: round(Math.max(...ms) / 1000) });
  return {
    kind,
    times: own.length,
    recoveredSeconds: inSeconds(own.map(({ recoveredMs }) => recoveredMs)),
    allEndedSeconds: inSeconds(own.map(({ settledMs }) => settledMs)),
  };
}
