import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { withoutAttemptLimits } from '../../harness/accounts.ts';
import { type Chance, createChance } from '../../harness/random.ts';
import { killGroup, makeDataFolder, type StartedServer, startServer } from '../../harness/server.ts';
import { watchHealth } from '../attacks/watch-health.ts';
import { createActor, shuffle } from './actor.ts';
import { checkFolder, whatIsLeft } from './folders.ts';
import { killPart, type Part, parts } from './kill-part.ts';
import { leaveAll } from './leave-server.ts';
import { countStandings, createLedger, type Ledger, sumOf } from './ledger.ts';
import { makeSounds } from './sounds.ts';
import { verifyLedger, verifySome } from './verify.ts';

export interface CrashOptions {
  readonly kills: number;
  readonly seed: number;
  /** Reports progress, one line at a time. */
  readonly say: (line: string) => void;
}

export interface CrashReport extends Omit<Ledger, 'people' | 'heard'> {
  readonly standings: ReturnType<typeof countStandings>;
  readonly seconds: number;
  /** The longest response time of `/healthz`, from shortly before a part of the server was killed until it had been restarted. */
  readonly longestHealthMs: Readonly<Record<Part, number>>;
  /** What differs from what was acknowledged. */
  readonly faults: readonly string[];
  /** What never happened, so that the run says nothing about it. */
  readonly untried: readonly string[];
}

/** Number of actors that share their accounts, so that they get in each other's way … */
const actorsOfGroup = 2;
/** … and number of such groups. */
const groups = 3;
/**
 * Something is killed once the server has acknowledged a random number of requests from 0 to this, and a moment has passed. Counting work
 * instead of time makes a slow machine try as much as a fast one.
 */
const mostWork = 30;
/** The longest moment between the last acknowledgement and the kill … */
const longestMomentMs = 500;
/** … and the time after which the kill happens anyway. */
const longestLifeMs = 20_000;
/** `/healthz` is watched for this long after a part was killed. */
const healthAfterMs = 2_000;
/** number of accounts whose predictions are checked after each start */
const sample = 3;

const endWorkers = new URL('./end-workers.ts', import.meta.url).href;
const environment = {
  OPEN_PREDICTION: 'false',
  LOG_LEVEL: 'error',
  NODE_OPTIONS: `--import=${endWorkers}`,
  ...withoutAttemptLimits,
};

/** The next kills, repeated when all are done. The parts of a server are killed, in random order, before the server itself. */
const nextKills = (chance: Chance) => [...shuffle(parts, chance), 'working', 'starting'] as const;

/**
 * Repeatedly kills parts of a server, and then the server with all its processes, while clients use it; then checks on the next server
 * everything that was acknowledged.
 *
 * Kills happen during work (sign-ups, recordings, deletions) and during the start. While a part dies, the server continues, and each
 * recording gets the same result as always.
 */
export async function runCrashes({ kills, seed, say }: CrashOptions): Promise<CrashReport> {
  const begin = performance.now();
  const chance = createChance(seed);
  const ledger = createLedger();
  const faults: string[] = [];
  const note = (found: readonly string[]): void => {
    faults.push(...found);
    for (const fault of found) say(`✗ ${fault}`);
  };
  const sounds = await makeSounds();
  const dataDir = await makeDataFolder();
  const actors = Array.from({ length: groups }, () => ledger.people.slice(0, 0)).flatMap((mine) =>
    Array.from({ length: actorsOfGroup }, () =>
      createActor({ ledger, mine, sounds, chance: createChance(chance.below(2 ** 31)) }),
    ),
  );
  let last: StartedServer | null = null;
  let startMs = 2000;
  const longestHealthMs: Record<Part, number> = { decoder: 0, analysis: 0, worker: 0 };
  /** A server that clients use until it is killed. */
  let life: { readonly server: StartedServer; readonly over: AbortSignal; readonly lives: readonly Promise<void>[] } | null =
    null;

  async function beginLife() {
    const start = performance.now();
    const server = await startServer(environment, { dataDir, asGroup: true });
    last = server;
    startMs = performance.now() - start;
    const people = Array.from({ length: sample }, () => chance.pick(ledger.people)).filter((person) => person !== undefined);
    note(await verifySome(server.origin, people));
    const over = new AbortController();
    const lives = actors.map((actor) => actor.act(server.origin));
    // An actor that gets a wrong response also stops; `endLife` reports it.
    for (const each of lives)
      each.then(
        () => over.abort(),
        () => {},
      );
    return { server, over: over.signal, lives };
  }

  async function endLife({ server, lives }: NonNullable<typeof life>): Promise<void> {
    await server.kill();
    note(errorsIn(server.written()));
    for (const each of await Promise.allSettled(lives)) if (each.status === 'rejected') note([String(each.reason)]);
    life = null;
  }

  try {
    let next: ReturnType<typeof nextKills>[number][] = [];
    for (let kill = 1; kill <= kills; kill += 1) {
      if (next.length === 0) next = [...nextKills(chance)];
      const doing = next.shift() ?? 'working';
      if (doing === 'starting') {
        await killStart(dataDir, chance.below(startMs));
        ledger.kills.starting += 1;
      } else {
        life ??= await beginLife();
        const enough = sumOf(ledger.acknowledged) + chance.below(mostWork);
        await whenAcknowledged(ledger, enough, chance.below(longestMomentMs), life.over);
        if (life.over.aborted) note(['the server stopped answering before it was killed']);
        if (doing === 'working') await endLife(life);
        else {
          const endWatch = watchHealth(life.server.origin);
          note(await killPart(doing, life.server, chance));
          await delay(healthAfterMs);
          longestHealthMs[doing] = Math.max(longestHealthMs[doing], (await endWatch()).longestMs);
        }
        ledger.kills[doing] += 1;
      }
      if (kill % 5 === 0) say(`${kill} kills: ${JSON.stringify({ ...ledger.acknowledged, faults: faults.length })}`);
    }
    if (life !== null) await endLife(life);
    const server = await startServer(environment, { dataDir, asGroup: true });
    last = server;
    note(await verifyLedger(server.origin, ledger));
    note(await checkFolder(dataDir));
    note(await leaveAll(server.origin, ledger));
    await server.stop();
    note(errorsIn(server.written()));
    note(await whatIsLeft(dataDir));
    const { acknowledged, besides, kills: killed } = ledger;
    const seconds = Math.round((performance.now() - begin) / 1000);
    const standings = countStandings(ledger);
    return { kills: killed, acknowledged, besides, standings, seconds, longestHealthMs, faults, untried: untried(ledger) };
  } finally {
    await last?.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The errors that a server has logged: at this log level no other lines are JSON. */
const errorsIn = (written: string): string[] =>
  written.split('\n').flatMap((line) => (line.startsWith('{') ? [`logged: ${line}`] : []));

/** Waits until enough is acknowledged, and a moment longer. */
async function whenAcknowledged(ledger: Ledger, enough: number, momentMs: number, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + longestLifeMs;
  const pauseMs = 10;
  while (sumOf(ledger.acknowledged) < enough && performance.now() < deadline && !signal.aborted) await delay(pauseMs);
  await delay(momentMs);
}

function untried({ acknowledged, kills }: Ledger): string[] {
  return Object.entries({ ...acknowledged, ...kills }).flatMap(([name, count]) => (count === 0 ? [name] : []));
}

/** Starts a server and kills it before it listens, or just after. */
async function killStart(dataDir: string, afterMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const onSpawn = (child: ChildProcess) => {
    timer = setTimeout(() => killGroup(child), afterMs);
  };
  const server = await startServer(environment, { dataDir, onSpawn, asGroup: true }).catch(() => null);
  clearTimeout(timer);
  await server?.kill();
}
