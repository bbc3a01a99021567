import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { SetUpError } from '@chiffchaff/cli';
import { makeRecording } from '../../harness/make-recording.ts';
import { round } from '../../harness/measures.ts';
import { fallingNotes } from '../../harness/recordings.ts';
import { createLightClient, type LightClient } from '../load/light-client.ts';
import { createSteadyRate } from '../load/steady-rate.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import type { Machine } from './machine.ts';
import { signUpPerson } from './people.ts';
import { isAnalysis, readAnalysisSeconds, readProcessorSeconds } from './processor-seconds.ts';
import { tableOf } from './table.ts';

/** Numbers of workers with the stand-in, and the least speed-up over one worker. */
const standIns = [
  { workers: 1, least: 1 },
  { workers: 2, least: 1.9 },
  { workers: 4, least: 3.7 },
  { workers: 8, least: 7 },
] as const;
const standIn = fileURLToPath(new URL('./waiting-worker.ts', import.meta.url));
const standInSeconds = 20;
const webs = 2;
/** Clients for each worker, enough that it never waits for a recording. */
const clientsEach = 4;

const realSeconds = 45;
const recordingSeconds = 15;
const leastOfTwo = 1.8;
const cpulimit = '/usr/bin/cpulimit';
/** Half a core for each worker, in percent of a core. Shared out by process, because cpulimit's `--monitor-forks` does not limit Node's child processes. */
const shares = { analysis: 40, server: 10 };

/** Processor seconds that the machines of a cluster have used, by role. */
interface Spent {
  readonly web: number;
  readonly postgres: number;
  readonly storage: number;
  /** of workers without the analysis: queue, rows, objects */
  readonly workers: number;
  readonly analysis: number;
  /** milliseconds in which the database was executing a statement */
  readonly databaseMs: number;
}

/** Measures scaling in two parts, which share this machine's processor: everything around the analysis, and the analysis itself. */
export async function runScaling(say: (line: string) => void) {
  if (!existsSync(cpulimit)) throw new SetUpError('Workers of half a core need cpulimit (Debian: cpulimit).');
  const wrong: string[] = [];
  const waiting: { workers: number; 'jobs a second': number; 'times one': number; 'at least': number }[] = [];
  for (const { workers, least } of standIns) {
    const { perSecond } = await measure({
      workers,
      seconds: standInSeconds,
      recording: { name: 'notes.wav', bytes: fallingNotes(1).buffer },
      worker: () => ({ program: standIn }),
    });
    const times = round(perSecond / (waiting[0]?.['jobs a second'] ?? perSecond), 2);
    waiting.push({ workers, 'jobs a second': round(perSecond, 2), 'times one': times, 'at least': least });
    if (times < least) wrong.push(`${workers} workers do ${times} times as much as one`);
    say(`${workers} workers that only wait: ${round(perSecond, 2)} jobs a second`);
  }

  const folder = await mkdtemp(join(tmpdir(), 'chiffchaff-scaling-'));
  const recordingAs = async (name: string) => {
    const path = join(folder, name);
    await makeRecording(path, { startSeconds: 30, seconds: recordingSeconds });
    return { name, bytes: await readFile(path) };
  };
  const recording = await recordingAs('birds.m4a');
  const spent: Record<string, number>[] = [];
  for (const workers of [1, 2]) {
    const { perSecond, jobs, ...used } = await measure({ workers, seconds: realSeconds, recording });
    const perJob = (milliseconds: number): number => round(milliseconds / jobs);
    spent.push({
      workers,
      'jobs a second': round(perSecond, 2),
      'web ms a job': perJob(1000 * used.spent.web),
      PostgreSQL: perJob(1000 * used.spent.postgres),
      storage: perJob(1000 * used.spent.storage),
      'worker without analysis': perJob(1000 * used.spent.workers),
      analysis: perJob(1000 * used.spent.analysis),
      'database at work': perJob(used.spent.databaseMs),
    });
    say(`${workers} workers with the model: ${round(perSecond, 2)} jobs a second`);
  }
  const halves: { workers: number; 'jobs a second': number; 'times one': number; 'cores each': number }[] = [];
  // WAV, because the program that decodes other formats would not be limited.
  const wav = await recordingAs('birds.wav');
  for (const workers of [1, 2]) {
    const { perSecond, spent, seconds } = await measure({ workers, seconds: realSeconds, recording: wav, isLimited: true });
    const times = round(perSecond / (halves[0]?.['jobs a second'] ?? perSecond), 2);
    const coresEach = round((spent.workers + spent.analysis) / seconds / workers, 2);
    halves.push({ workers, 'jobs a second': round(perSecond, 2), 'times one': times, 'cores each': coresEach });
    if (workers === 2 && times < leastOfTwo) wrong.push(`two workers of half a core do ${times} times as much as one`);
    say(`${workers} workers of half a core: ${round(perSecond, 2)} jobs a second`);
  }
  say(`\nWorkers that only wait a second\n${tableOf(waiting)}`);
  say(`\nThe real model: processor milliseconds a job, by who has spent them\n${tableOf(spent)}`);
  say(`\nThe real model, half a core a worker (cpulimit)\n${tableOf(halves)}`);
  return { report: { waiting, spent, halves, wrong }, passed: wrong.length === 0 };
}

interface Measurement {
  readonly workers: number;
  readonly seconds: number;
  readonly recording: { readonly name: string; readonly bytes: Uint8Array };
  readonly worker?: ClusterOptions['worker'];
  /** Limits workers to half a core. */
  readonly isLimited?: true;
}

async function measure({ workers, seconds, recording, worker, isLimited }: Measurement) {
  const cluster = await startCluster({ webs, workers, ...(worker && { worker }) });
  if (isLimited) for (const machine of cluster.workers) limit(machine);
  const clients: LightClient[] = [];
  try {
    const senders = await Promise.all(
      Array.from({ length: clientsEach * workers }, async (_, index) => {
        const { origin = '' } = cluster.webs[index % webs] ?? {};
        const client = createLightClient(origin, { ...recording, fields: { keepAudio: 'nothing' } });
        clients.push(client);
        return { client, token: (await signUpPerson(origin)).token };
      }),
    );
    await Promise.all(senders.slice(0, workers).map(({ client, token }) => client.send(token)));
    const before = await readSpent(cluster);
    const started = performance.now();
    const steady = createSteadyRate(seconds);
    let jobs = 0;
    await Promise.all(
      senders.map(async ({ client, token }) => {
        while (!steady.isOver) {
          const { status, text, retryAfterSeconds } = await client.send(token);
          if (status === 200) {
            steady.count();
            jobs += 1;
          } else if (status === 503 && retryAfterSeconds > 0) await delay(1000 * Math.min(retryAfterSeconds, steady.secondsLeft));
          else throw new Error(`A recording was answered ${status} ${text}`);
        }
      }),
    );
    const after = await readSpent(cluster);
    const took = (performance.now() - started) / 1000;
    const spent = Object.fromEntries(Object.entries(after).map(([part, value]) => [part, value - before[part as keyof Spent]]));
    return { perSecond: steady.perSecond, jobs, seconds: took, spent: spent as unknown as Spent };
  } finally {
    for (const client of clients) client.close();
    await cluster.stop();
  }
}

/** Limits the processor time of a machine's processes until they end. */
function limit(machine: Machine): void {
  for (const pid of machine.processes()) {
    const percent = isAnalysis(pid) ? shares.analysis : shares.server;
    spawn(cpulimit, ['--quiet', '--lazy', '--limit', String(percent), '--pid', String(pid)], { stdio: 'ignore' });
  }
}

async function readSpent({ query, webs, workers, postgres, storage }: Cluster): Promise<Spent> {
  const on = (machines: readonly Machine[]): number[] => machines.flatMap((machine) => machine.processes());
  const [row] = await query<{ readonly ms: number }>(
    'SELECT active_time::float8 AS ms FROM pg_stat_database WHERE datname = current_database()',
  );
  const analysis = readAnalysisSeconds(on(workers));
  return {
    web: readProcessorSeconds(on(webs)),
    postgres: readProcessorSeconds(postgres.processes()),
    storage: readProcessorSeconds([storage.pid]),
    workers: readProcessorSeconds(on(workers)) - analysis,
    analysis,
    databaseMs: row?.ms ?? Number.NaN,
  };
}
