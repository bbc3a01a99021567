/**
 * `npm run trial -- machines scaling`: how much more two, four and eight workers do than one. With a stand-in that only waits, so that
 * everything around the analysis is measured, and with workers of half a core that run the model.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from '@chiffchaff/cli';
import { askPrediction, signUp } from '../../harness/api.ts';
import { makeSound } from '../../harness/make-recording.ts';
import { round, timed } from '../../harness/measures.ts';
import { isAnalysis, readProcessorSeconds } from '../../harness/processes.ts';
import { fallingNotes, type Sound } from '../../harness/recordings.ts';
import { thisCheckout } from '../../harness/server.ts';
import { sendWithoutPause } from '../load/steady-rate.ts';
import { type Cluster, type ClusterOptions, type Machine, type PartOptions, startCluster } from './machines.ts';

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
    recording: fallingNotes(1),
  };
  // WAV, because the program that decodes other formats would not be limited.
  const birds = await makeSound('birds.wav', { startSeconds: 30, seconds: 15 });
  const halves = { checkout, seconds: REAL_SECONDS, recording: birds, isLimited: true };
  const report = {
    waiting: await compare('workers that only wait', { 1: 1, 2: 1.9, 4: 3.7, 8: 7 }, standIn),
    halves: await compare('workers of half a core', { 1: 1, 2: 1.8 }, halves),
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
    'worker without analysis': perJob(used.workers),
    analysis: perJob(used.analysis),
  };
}

interface Measurement extends Omit<ClusterOptions, 'webs'> {
  readonly seconds: number;
  readonly recording: Sound;
  /** Limits workers to half a core. */
  readonly isLimited?: boolean;
}

/** Sends one recording again and again from enough clients. Seconds of processor time by who has used them. */
async function measure({ seconds, recording, isLimited = false, ...options }: Measurement) {
  await using cluster = await startCluster({ webs: WEBS, ...options });
  if (isLimited) cluster.workers.forEach(limit);
  const clients = await Promise.all(
    Array.from({ length: CLIENTS_EACH * options.workers }, async (_, index) => {
      const { origin = '' } = cluster.webs[index % WEBS] ?? {};
      const { token } = await signUp(origin);
      return () => askPrediction(origin, { ...recording, token, fields: { keepAudio: 'nothing' } });
    }),
  );
  await Promise.all(clients.slice(0, options.workers).map((send) => send()));
  const before = readUsed(cluster);
  const { result, ms } = await timed(() => sendWithoutPause(clients, seconds));
  const { perSecond, tookMs, errors } = result;
  if (errors[0] !== undefined) throw new Error(`A recording was answered ${errors[0]}`);
  const used = readUsed(cluster);
  for (const part of Object.keys(used) as (keyof typeof used)[]) used[part] -= before[part];
  return { perSecond, jobs: tookMs.length, took: ms / 1000, used };
}

/** Limits the processor time of a machine's processes until they end. */
function limit(machine: Machine): void {
  for (const pid of machine.processes()) {
    const percent = isAnalysis(pid) ? shares.analysis : shares.server;
    spawn(CPULIMIT, ['--quiet', '--lazy', '--limit', String(percent), '--pid', String(pid)], { stdio: 'ignore' });
  }
}

function readUsed({ webs, workers, postgres }: Cluster) {
  const on = (machines: readonly Machine[]): number[] => machines.flatMap((machine) => machine.processes());
  const analysis = readProcessorSeconds(on(workers).filter(isAnalysis));
  return {
    web: readProcessorSeconds(on(webs)),
    postgres: readProcessorSeconds(postgres.processes()),
    /** workers without the analysis: queue, rows, objects */
    workers: readProcessorSeconds(on(workers)) - analysis,
    analysis,
  };
}
