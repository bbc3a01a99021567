/**
 * `npm run trial -- machines scaling`: how much more two, four and eight workers do than one. With a stand-in that only waits, so that
 * everything around the analysis is measured, and with the model, whose workers share this machine's processor.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetUpError } from '@chiffchaff/cli';
import { signUp } from '../../harness/accounts.ts';
import { makeRecording } from '../../harness/make-recording.ts';
import { round } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { thisCheckout } from '../../harness/server.ts';
import { createLightClient } from '../load/light-client.ts';
import { createSteadyRate } from '../load/steady-rate.ts';
import { type Cluster, type ClusterOptions, type Machine, type PartOptions, startCluster } from './machines.ts';
import { isAnalysis, readProcessorSeconds } from './processor-seconds.ts';

const STAND_IN_SECONDS = 20;
const REAL_SECONDS = 45;
const WEBS = 2;
/** Clients for each worker, enough that it never waits for a recording. */
const CLIENTS_EACH = 4;
const CPULIMIT = '/usr/bin/cpulimit';
/** Half a core for each worker, in percent of a core. Shared out by process, because cpulimit's `--monitor-forks` does not limit Node's child processes. */
const shares = { analysis: 40, server: 10 };

export async function runScaling({ checkout = thisCheckout, say }: PartOptions) {
  if (!existsSync(CPULIMIT)) throw new SetUpError('Workers of half a core need cpulimit (Debian: cpulimit).');
  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-scaling-'));
  const birds = async (name: string): Promise<Recording> => {
    await makeRecording(join(folder, name), { startSeconds: 30, seconds: 15 });
    return { name, bytes: await readFile(join(folder, name)) };
  };
  const wrong: string[] = [];
  /** @param least the least speed-up over the first, by number of workers */
  async function compare(what: string, least: Readonly<Record<number, number>>, options: Omit<Measurement, 'workers'>) {
    const rows: ReturnType<typeof rowOf>[] = [];
    for (const [workers, atLeast] of Object.entries(least)) {
      const measured = await measure({ ...options, workers: Number(workers) });
      const row = rowOf(Number(workers), measured, rows[0]?.['jobs a second']);
      rows.push(row);
      if (row['times one'] < atLeast) wrong.push(`${workers} ${what} do ${row['times one']} times as much as one`);
      say(`${workers} ${what}: ${row['jobs a second']} jobs a second`);
    }
    return rows;
  }
  const standIn = {
    checkout,
    workerProgram: join(checkout, 'bench/src/trials/machines/waiting-worker.ts'),
    seconds: STAND_IN_SECONDS,
    recording: { name: 'notes.wav', bytes: fallingNotes(1).buffer },
  };
  const real = { checkout, seconds: REAL_SECONDS };
  const report = {
    waiting: await compare('workers that only wait', { 1: 1, 2: 1.9, 4: 3.7, 8: 7 }, standIn),
    model: await compare('workers with the model', { 1: 0, 2: 0 }, { ...real, recording: await birds('birds.m4a') }),
    // WAV, because the program that decodes other formats would not be limited.
    halves: await compare(
      'workers of half a core',
      { 1: 1, 2: 1.8 },
      { ...real, recording: await birds('birds.wav'), isLimited: true },
    ),
    wrong,
  };
  return { report, passed: wrong.length === 0 };
}

/** The figures of a measurement; seconds of processor time are told as milliseconds a job. */
function rowOf(workers: number, { perSecond, jobs, took, used }: Awaited<ReturnType<typeof measure>>, ofOne = perSecond) {
  const perJob = (seconds: number): number => round((1000 * seconds) / jobs);
  return {
    workers,
    'jobs a second': round(perSecond, 2),
    'times one': round(perSecond / ofOne, 2),
    'cores each': round((used.workers + used.analysis) / took / workers, 2),
    'web ms a job': perJob(used.web),
    PostgreSQL: perJob(used.postgres),
    storage: perJob(used.storage),
    'worker without analysis': perJob(used.workers),
    analysis: perJob(used.analysis),
    'database at work': perJob(used.database),
  };
}

interface Recording {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Measurement extends Omit<ClusterOptions, 'webs'> {
  readonly seconds: number;
  readonly recording: Recording;
  /** Limits workers to half a core. */
  readonly isLimited?: boolean;
}

/** Sends one recording again and again from enough clients. Seconds of processor time by who has used them. */
async function measure({ seconds, recording, isLimited = false, ...options }: Measurement) {
  await using cluster = await startCluster({ webs: WEBS, ...options });
  if (isLimited) cluster.workers.forEach(limit);
  using clients = new DisposableStack();
  const senders = await Promise.all(
    Array.from({ length: CLIENTS_EACH * options.workers }, async (_, index) => {
      const { origin = '' } = cluster.webs[index % WEBS] ?? {};
      const client = createLightClient(origin, { ...recording, fields: { keepAudio: 'nothing' } });
      clients.defer(() => client.close());
      const { token } = await signUp(origin);
      return () => client.send(token);
    }),
  );
  await Promise.all(senders.slice(0, options.workers).map((send) => send()));
  const before = await readUsed(cluster);
  const begin = performance.now();
  const steady = createSteadyRate(seconds);
  let jobs = 0;
  await Promise.all(
    senders.map(async (send) => {
      while (!steady.isOver) {
        const { status, text, retryAfterSeconds } = await send();
        if (status === 200) {
          steady.count();
          jobs += 1;
        } else if (status === 503 && retryAfterSeconds > 0) await delay(1000 * Math.min(retryAfterSeconds, steady.secondsLeft));
        else throw new Error(`A recording was answered ${status} ${text}`);
      }
    }),
  );
  const after = await readUsed(cluster);
  const took = (performance.now() - begin) / 1000;
  const used = { ...after };
  for (const part of Object.keys(used) as (keyof typeof used)[]) used[part] -= before[part];
  return { perSecond: steady.perSecond, jobs, took, used };
}

/** Limits the processor time of a machine's processes until they end. */
function limit(machine: Machine): void {
  for (const pid of machine.processes()) {
    const percent = isAnalysis(pid) ? shares.analysis : shares.server;
    spawn(CPULIMIT, ['--quiet', '--lazy', '--limit', String(percent), '--pid', String(pid)], { stdio: 'ignore' });
  }
}

async function readUsed({ query, webs, workers, postgres, storage }: Cluster) {
  const on = (machines: readonly Machine[]): number[] => machines.flatMap((machine) => machine.processes());
  const [row] = await query<{ readonly seconds: number }>(
    'SELECT active_time::float8 / 1000 AS seconds FROM pg_stat_database WHERE datname = current_database()',
  );
  const analysis = readProcessorSeconds(on(workers).filter(isAnalysis));
  return {
    web: readProcessorSeconds(on(webs)),
    postgres: readProcessorSeconds(postgres.processes()),
    storage: readProcessorSeconds([storage.pid]),
    /** workers without the analysis: queue, rows, objects */
    workers: readProcessorSeconds(on(workers)) - analysis,
    analysis,
    /** time in which the database was executing a statement */
    database: row?.seconds ?? Number.NaN,
  };
}
