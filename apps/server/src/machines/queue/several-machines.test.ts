import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@chiffchaff/testing';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobOutcome, JobProgress } from '../../prediction/queue/job.ts';
import { isPostgresInstalled, startPostgres, type TestPostgres } from '../../testing/start-postgres.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { openBoss } from './open-boss.ts';
import { deedsIn, letGo, openQueueMachine, type QueueMachineOptions } from './testing/queue-machine.ts';

type Machine = Awaited<ReturnType<typeof openQueueMachine>>;

const program = join(import.meta.dirname, 'testing/work-until-killed.ts');
const never = new AbortController().signal;

describe.skipIf(!isPostgresInstalled())('A queue of several machines (needs Debian’s postgresql)', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  let place: TestDatabase;
  let folder: string;
  let web: Machine;
  let machines: Machine[];
  let processes: ChildProcess[];

  async function open(options: Partial<QueueMachineOptions> = {}): Promise<Machine> {
    const machine = await openQueueMachine({ url: place.url, folder, works: true, ...options });
    machines.push(machine);
    return machine;
  }
  /** Starts a worker in its own process. */
  async function start(options: Partial<QueueMachineOptions> = {}): Promise<ChildProcess> {
    const asked = JSON.stringify({ url: place.url, folder, works: true, ...options });
    const child = spawn(process.execPath, [program, asked], { stdio: ['ignore', 'pipe', 'inherit'] });
    processes.push(child);
    await once(child.stdout ?? child, 'data');
    return child;
  }
  beforeEach(async () => {
    place = await createTestDatabase(server.url);
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-queue-'));
    machines = [];
    processes = [];
    web = await open({ works: false });
  });
  afterEach(async () => {
    for (const child of processes) child.kill('SIGKILL');
    await Promise.all(machines.map((machine) => machine.close()));
    await place.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Sends a recording to the web machine. */
  async function send(name: string, more: Partial<Parameters<Machine['send']>[0]> = {}) {
    const id = randomUUID();
    const job = await web.send({ id, name, ...more });
    return { id, outcome: job.outcome(never) };
  }
  const begun = async (name: string, times = 1): Promise<void> =>
    eventually(
      async () =>
        expect((await deedsIn(folder)).filter((deed) => deed.startsWith('began') && deed.endsWith(` ${name}`))).toHaveLength(
          times,
        ),
      { timeout: 30_000 },
    );
  const order = async (): Promise<readonly string[]> => (await deedsIn(folder)).map((deed) => deed.split(' ')[2] ?? '');
  const rows = () => web.database.query.selectFrom('predictions').select(['id', 'state', 'attempts', 'uploadName']).execute();
  const jobsLeft = async () =>
    (await sql`SELECT id FROM pgboss.job WHERE name NOT LIKE '\\_\\_%'`.execute(web.database.query)).rows;

  it('answers on one machine what another has analysed, and leaves no job behind', async () => {
    await open();
    const { outcome } = await send('a');
    expect(await outcome).toMatchObject({ state: 'done' });
    expect(await rows()).toMatchObject([{ state: 'done', attempts: 0 }]);
    expect(await jobsLeft()).toEqual([]);
  });

  it('is created once by machines that start together', async () => {
    await sql`DROP SCHEMA pgboss CASCADE`.execute(web.database.query);
    await Promise.all([1, 2, 3, 4].map(() => open()));
    expect(await (await send('a')).outcome).toMatchObject({ state: 'done' });
  });

  it('accepts more recordings at once than it has database connections', async () => {
    const sent = await Promise.all(Array.from({ length: 30 }, (_, n) => send(`at-once-${n}`)));
    await open({ running: 4 });
    const outcomes = await Promise.all(sent.map(({ outcome }) => outcome));
    expect(new Set(outcomes.map(({ state }) => state))).toEqual(new Set(['done']));
  });

  it('refuses a recording of an account that another machine is just disabling, once it has', async () => {
    const { query } = web.database;
    const times = { passwordUpdatedAtMs: 1, createdAtMs: 1, lastLoginAtMs: 1, validSinceSeconds: 1 };
    await query
      .insertInto('accounts')
      .values({ id: 'ann', email: 'ann@example.org', passwordHash: '', ...times })
      .execute();
    // Not in the transaction, which would see the same activity each time.
    const isWaiting = sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
    let sending: Promise<unknown> | undefined;
    await query.transaction().execute(async (transaction) => {
      await transaction.updateTable('accounts').set({ disabled: 1 }).where('id', '=', 'ann').execute();
      sending = send('a').then(
        () => 'accepted',
        ({ code }: { code: string }) => code,
      );
      await eventually(async () => expect((await isWaiting.execute(query)).rows).toHaveLength(1));
    });
    expect(await sending).toBe('SESSION_EXPIRED');
    expect(await rows()).toEqual([]);
  });

  it('accepts a recording once that is sent several times at once with the same key', async () => {
    await Promise.all(Array.from({ length: 8 }, () => send('a', { idempotencyKey: 'k' })));
    expect(await rows()).toHaveLength(1);
  });

  it('deletes a prediction without an account, and its upload, once the prediction has been sent', async () => {
    await open();
    const { outcome } = await send('a', { accountId: null, idempotencyKey: null });
    expect(await outcome).toMatchObject({ state: 'done' });
    await eventually(async () => {
      const left = await web.database.query.selectFrom('predictions').select(['uploadName', 'deletedAtMs']).execute();
      expect(left.filter(({ uploadName, deletedAtMs }) => uploadName !== null || deletedAtMs === null)).toEqual([]);
    });
  });

  it('gives an account with one recording its turn beside an account with many', async () => {
    for (let n = 0; n < 50; n += 1) await web.send({ id: randomUUID(), name: `many-${n}`, accountId: 'bob' });
    const { outcome } = await send('one');
    await open();
    await outcome;
    expect((await order()).slice(0, 3)).toContain('one');
  });

  it('lets a job of the account with most jobs give way to another account’s, and resumes it later', async () => {
    await open({ running: 2 });
    const names = ['slow-a', 'slow-b', 'slow-c', 'slow-d', 'slow-e', 'slow-f'];
    const owners = ['bob', 'bob', 'cat', 'dan', 'eve', 'fay'];
    const many: Awaited<ReturnType<typeof send>>[] = [];
    for (const [index, name] of names.entries()) {
      many.push(await send(name, { accountId: owners[index] ?? '' }));
      await begun(name);
    }
    const { outcome } = await send('one');
    expect(await outcome).toMatchObject({ state: 'done' });
    for (const name of names) await letGo(folder, name);
    for (const { outcome: ended } of many) expect(await ended).toMatchObject({ state: 'done' });
    // One of bob’s ran twice, which does not count as a failure.
    expect((await order()).filter((name) => name.startsWith('slow-')).length).toBeGreaterThan(names.length);
    expect(await jobsLeft()).toEqual([]);
  });

  it('keeps short recordings from waiting for large ones, and large ones from waiting for ever', async () => {
    for (const name of ['slow-large-1', 'slow-large-2']) await send(name, { bytes: 9e6 });
    const shorts = await Promise.all(['a', 'b', 'c'].map((name) => send(name)));
    await open();
    await Promise.all(shorts.map(({ outcome }) => outcome));
    expect(await order()).toContain('slow-large-1');
    expect(await order()).not.toContain('slow-large-2');
  });

  it('reports on one machine the progress and the outcome of a job on another', async () => {
    const told: JobProgress[] = [];
    const ended = Promise.withResolvers<JobOutcome>();
    const { id } = await send('slow-a');
    web.queue.follow(id, { onProgress: (progress) => told.push(progress), onOutcome: ended.resolve }, never);
    await eventually(() => expect(told).toMatchObject([{ stage: 'queued', behindOthers: false }]));
    await start();
    await eventually(() => expect(told.at(-1)).toMatchObject({ stage: 'listening', fraction: 0.5 }));
    const { id: second } = await send('slow-b');
    await eventually(async () =>
      expect((await web.queue.progressOf([second])).get(second)).toMatchObject({ stage: 'queued', behindOthers: true }),
    );
    await letGo(folder, 'slow-a');
    expect(await ended.promise).toMatchObject({ state: 'done' });
  });

  it('reports the outcome of a job even if the database connection it listens on was lost', async () => {
    await start();
    const { outcome } = await send('slow-a');
    await begun('slow-a');
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`.execute(
      web.database.query,
    );
    await letGo(folder, 'slow-a');
    expect(await outcome).toMatchObject({ state: 'done' });
  });

  it('stops on one machine, within a second, a job that is cancelled on another', async () => {
    await start();
    const { id, outcome } = await send('slow-a');
    await begun('slow-a');
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    const start_ = performance.now();
    expect(await web.queue.cancel(id)).toBe(true);
    await eventually(async () => expect(await deedsIn(folder)).toContainEqual(expect.stringMatching(/^stopped \d+ slow-a$/)));
    // biome-ignore lint/plugin: measures; to become a row of a benchmark
    expect(performance.now() - start_).toBeLessThan(1000);
    expect(await outcome).toMatchObject({ state: 'failed', problem: { code: 'PREDICTION_CANCELLED' } });
    expect(await rows()).toEqual([]);
    expect(await jobsLeft()).toEqual([]);
  });

  it('resumes on another worker, within thirty seconds, the jobs of a killed one', { timeout: 60_000 }, async () => {
    const killed = await start();
    const { outcome } = await send('slow-a');
    await begun('slow-a');
    killed.kill('SIGKILL');
    await start();
    await begun('slow-a', 2);
    await letGo(folder, 'slow-a');
    expect(await outcome).toMatchObject({ state: 'done' });
    expect(await rows()).toMatchObject([{ state: 'done', attempts: 0 }]);
  });

  it('stops a job on a worker that was frozen for so long that another worker has taken the job', {
    timeout: 60_000,
  }, async () => {
    const still = await start();
    const { outcome } = await send('slow-a');
    await begun('slow-a');
    still.kill('SIGSTOP');
    const other = await start();
    await begun('slow-a', 2);
    still.kill('SIGCONT');
    await eventually(async () => expect(await deedsIn(folder)).toContain(`stopped ${still.pid} slow-a`));
    await letGo(folder, 'slow-a');
    expect(await outcome).toMatchObject({ state: 'done' });
    expect((await deedsIn(folder)).filter((deed) => deed.startsWith(`stopped ${other.pid}`))).toEqual([]);
    // It takes the next job.
    other.kill('SIGKILL');
    await (await send('b')).outcome;
    expect((await deedsIn(folder)).at(-1)).toBe(`began ${still.pid} b`);
  });

  it('stores a prediction once, even if a worker comes back after another one has taken its job', async () => {
    const { database } = web;
    const boss = await openBoss({ database, log: pino({ level: 'silent' }), supervises: false });
    await send('a');
    const first = await boss.claim([]);
    if (first === null) throw new Error('there is a job');
    await boss.handBack(first);
    const second = await eventually(async () => {
      const claim = await boss.claim([]);
      if (claim === null) throw new Error('it comes back after a moment');
      return claim;
    });
    expect(await boss.keep([first, second])).toEqual(new Set([second.id]));
    const finish = (claim: typeof first) => database.change({}, (query) => boss.finish(claim, query));
    expect([await finish(first), await finish(second), await finish(second)]).toEqual([false, true, false]);
    await boss.close();
  });

  it('passes on the jobs of a worker that is told to stop', async () => {
    const first = await start();
    const { outcome } = await send('slow-a');
    await begun('slow-a');
    const other = await start();
    first.kill('SIGTERM');
    await begun('slow-a', 2);
    await letGo(folder, 'slow-a');
    expect(await outcome).toMatchObject({ state: 'done' });
    expect((await deedsIn(folder)).at(-1)).toBe(`began ${other.pid} slow-a`);
  });

  it('fails a recording whose analysis kills one worker after the other', { timeout: 60_000 }, async () => {
    web = await open({ works: false, retryLimit: 0 });
    const killed = await start({ retryLimit: 0 });
    const { outcome } = await send('slow-a');
    await begun('slow-a');
    killed.kill('SIGKILL');
    await open({ retryLimit: 0 });
    expect(await outcome).toMatchObject({ state: 'failed', problem: { code: 'ANALYSIS_ABANDONED' } });
    expect(await rows()).toMatchObject([{ state: 'failed', uploadName: null }]);
    await eventually(async () => expect(await jobsLeft()).toEqual([]));
  });
});
