import { describe, expect, it, vi } from 'vitest';
import type { ClipJob, ClipSlot } from '../model/session.ts';
import type { WorkerTask } from './worker-messages.ts';
import { startPool, type WorkerPool } from './worker-pool.ts';
import type { WorkerEvents } from './worker-thread.ts';

/** A worker that the test controls. */
class FakeWorker {
  readonly tasks: WorkerTask[] = [];
  readonly close = vi.fn(async () => undefined);
  readonly events: WorkerEvents;

  constructor(events: WorkerEvents) {
    this.events = events;
  }

  send(task: WorkerTask): void {
    this.tasks.push(task);
  }

  /** Ends the current task; sets a clip's outputs to its first sample. */
  finish(): void {
    const task = this.tasks.at(-1);
    if (task?.kind === 'clips') for (const clip of task.clips) clip.outputs.fill(clip.samples[0] ?? 0);
    this.events.onReply({ kind: 'done', scores: task?.kind === 'occurrence' ? Float32Array.from(task.input) : null });
  }

  /** The first samples of the clips in each batch it received. */
  batches(): number[][] {
    return this.tasks.flatMap((task) => (task.kind === 'clips' ? [task.clips.map((clip) => clip.samples[0] ?? 0)] : []));
  }
}

interface Stage {
  readonly pool: WorkerPool;
  readonly workers: FakeWorker[];
}

async function openPool(options: { workers: number; maxBatchClips?: number }): Promise<Stage> {
  const workers: FakeWorker[] = [];
  const pool = await startPool({
    clipSamples: 2,
    labelCount: 3,
    wholeYear: -1,
    maxBatchClips: 2,
    ...options,
    startWorker(events) {
      const worker = new FakeWorker(events);
      workers.push(worker);
      queueMicrotask(() => events.onReply({ kind: 'ready' }));
      return worker;
    },
  });
  return { pool, workers };
}

/** Runs a clip whose samples are `value`; `output` resolves to its first output. */
function runClip(job: ClipJob, value: number): { readonly slot: ClipSlot; readonly output: Promise<number | undefined> } {
  const slot = job.take();
  slot.samples.fill(value);
  return { slot, output: job.run(slot).then(() => slot.outputs[0]) };
}

function workerOf({ workers }: Stage, index: number): FakeWorker {
  const worker = workers[index];
  if (!worker) throw new Error(`no worker ${index}`);
  return worker;
}

describe('The pool of model workers', () => {
  it('gives a clip to an idle worker at once, and returns its outputs', async () => {
    const stage = await openPool({ workers: 2 });
    const { output } = runClip(stage.pool.openJob(), 7);
    expect(workerOf(stage, 0).batches()).toEqual([[7]]);
    workerOf(stage, 0).finish();
    expect(await output).toBe(7);
  });

  it('batches waiting clips while workers are busy, and divides few clips between them', async () => {
    const stage = await openPool({ workers: 2, maxBatchClips: 4 });
    const job = stage.pool.openJob();
    for (const value of [1, 2, 3, 4, 5, 6]) runClip(job, value);
    workerOf(stage, 0).finish();
    workerOf(stage, 1).finish();
    expect(workerOf(stage, 0).batches()).toEqual([[1], [3, 4]]);
    expect(workerOf(stage, 1).batches()).toEqual([[2], [5]]);
  });

  it('lets a short job overtake a long one', async () => {
    const stage = await openPool({ workers: 1 });
    const long = stage.pool.openJob();
    for (const value of [1, 2, 3, 4, 5]) runClip(long, value);
    const short = stage.pool.openJob();
    for (const value of [11, 12]) runClip(short, value);
    for (let turn = 0; turn < 4; turn++) workerOf(stage, 0).finish();
    expect(workerOf(stage, 0).batches()).toEqual([[1], [11, 12], [2, 3], [4, 5]]);
  });

  it('runs clips of new jobs before those of long ones, without keeping long ones from going on', async () => {
    const stage = await openPool({ workers: 1, maxBatchClips: 2 });
    const long = stage.pool.openJob();
    for (let value = 1; value <= 60; value++) runClip(long, value);
    const worker = workerOf(stage, 0);
    for (let turn = 0; turn < 22; turn++) worker.finish();
    const seen = worker.batches().length;
    for (const first of [100, 200]) {
      const short = stage.pool.openJob();
      for (let value = first; value < first + 6; value++) runClip(short, value);
    }
    for (let turn = 0; turn < 7; turn++) worker.finish();
    const owners = worker
      .batches()
      .slice(seen)
      .map(([value = 0]) => Math.floor(value / 100));
    expect(owners).toEqual([1, 2, 1, 0, 2, 1, 2]);
  });

  it('lets owners take turns, however many jobs one of them has', async () => {
    const stage = await openPool({ workers: 1, maxBatchClips: 2 });
    const worker = workerOf(stage, 0);
    const open = (owner: string, first: number, clips: number) => {
      const job = stage.pool.openJob(undefined, owner);
      for (let value = first; value < first + clips; value++) runClip(job, value);
    };
    for (const first of [100, 200, 300]) open('many', first, 4);
    open('one', 0, 4);
    for (let turn = 0; turn < 8; turn++) worker.finish();
    const turns = worker.batches().map(([value = 0]) => (value < 100 ? 'one' : 'many'));
    expect(turns.slice(0, 5)).toEqual(['many', 'one', 'many', 'one', 'many']);
  });

  it('lets owners take turns with their long jobs as with their short ones', async () => {
    const stage = await openPool({ workers: 1, maxBatchClips: 10 });
    const worker = workerOf(stage, 0);
    const open = (owner: string, first: number) => {
      const job = stage.pool.openJob(undefined, owner);
      for (let value = first; value < first + 100; value++) runClip(job, value);
    };
    for (const first of [100, 200, 300]) open('many', first);
    open('one', 0);
    // Until none of the jobs is fresh any more.
    for (let turn = 0; turn < 20; turn++) worker.finish();
    const seen = worker.batches().length;
    for (let turn = 0; turn < 6; turn++) worker.finish();
    const turns = worker
      .batches()
      .slice(seen)
      .map(([value = 0]) => (value < 100 ? 'one' : 'many'));
    expect(turns.filter((owner) => owner === 'one')).toHaveLength(3);
  });

  it('reuses the memory of released clips', async () => {
    const stage = await openPool({ workers: 1 });
    const job = stage.pool.openJob();
    const { slot, output } = runClip(job, 1);
    workerOf(stage, 0).finish();
    await output;
    job.release(slot);
    expect(job.take()).toBe(slot);
  });

  it('drops waiting clips when their job is cancelled, and rejects with the reason', async () => {
    const stage = await openPool({ workers: 1 });
    const controller = new AbortController();
    const job = stage.pool.openJob(controller.signal);
    const outputs = [1, 2, 3, 4].map((value) => runClip(job, value).output);
    controller.abort();
    for (const output of outputs) await expect(output).rejects.toMatchObject({ name: 'AbortError' });
    expect(stage.pool.waitingClips).toBe(0);
    // Only the batch that was already running was sent.
    workerOf(stage, 0).finish();
    expect(workerOf(stage, 0).batches()).toEqual([[1]]);
  });

  it('does not reuse the memory of a running clip when its job has been closed', async () => {
    const stage = await openPool({ workers: 1 });
    const job = stage.pool.openJob();
    const { slot, output } = runClip(job, 1);
    output.catch(() => undefined);
    job.close();
    const next = stage.pool.openJob();
    expect(next.take()).not.toBe(slot);
    workerOf(stage, 0).finish();
    expect(next.take()).toBe(slot);
  });

  it('runs no clip of a job that has been closed', async () => {
    const stage = await openPool({ workers: 1 });
    const job = stage.pool.openJob();
    job.close();
    await expect(runClip(job, 1).output).rejects.toMatchObject({ code: 'RUNNER_CLOSED' });
    const cancelled = stage.pool.openJob(AbortSignal.abort());
    await expect(runClip(cancelled, 1).output).rejects.toMatchObject({ name: 'AbortError' });
    expect(workerOf(stage, 0).batches()).toEqual([]);
  });

  it('replaces a worker that dies, and tries its batch once more', async () => {
    const stage = await openPool({ workers: 1 });
    const { output } = runClip(stage.pool.openJob(), 5);
    workerOf(stage, 0).events.onGone('out of memory');
    await expect.poll(() => stage.workers[1]?.batches()).toEqual([[5]]);
    workerOf(stage, 1).finish();
    expect(await output).toBe(5);
  });

  it('replaces a worker that dies while it has nothing to do', async () => {
    const stage = await openPool({ workers: 1 });
    workerOf(stage, 0).events.onGone('out of memory');
    expect(stage.workers).toHaveLength(2);
  });

  it('rejects a batch that kills two workers, but no other batch', async () => {
    const stage = await openPool({ workers: 1, maxBatchClips: 1 });
    const job = stage.pool.openJob();
    const [deadly, harmless] = [runClip(job, 5), runClip(job, 6)];
    workerOf(stage, 0).events.onGone('first');
    await expect.poll(() => stage.workers[1]?.batches()).toEqual([[5]]);
    workerOf(stage, 1).events.onGone('second');
    await expect(deadly.output).rejects.toMatchObject({ code: 'INFERENCE_FAILED', details: { reason: 'second' } });
    await expect.poll(() => stage.workers[2]?.batches()).toEqual([[6]]);
    workerOf(stage, 2).finish();
    expect(await harmless.output).toBe(6);
  });

  it('tries a batch once more when the model fails on it', async () => {
    const stage = await openPool({ workers: 1 });
    const { output } = runClip(stage.pool.openJob(), 5);
    workerOf(stage, 0).events.onReply({ kind: 'failed', reason: 'first' });
    workerOf(stage, 0).events.onReply({ kind: 'failed', reason: 'second' });
    await expect(output).rejects.toMatchObject({ code: 'INFERENCE_FAILED', details: { reason: 'second' } });
    expect(workerOf(stage, 0).batches()).toEqual([[5], [5]]);
  });

  it('computes occurrences on its first worker, before more clips', async () => {
    const stage = await openPool({ workers: 2 });
    const job = stage.pool.openJob();
    for (const value of [1, 2, 3, 4, 5]) runClip(job, value).output.catch(() => undefined);
    const here = stage.pool.occurrence({ latitude: 50, longitude: 12, week: 20 });
    const anytime = stage.pool.occurrence({ latitude: 50, longitude: 12, week: null });
    workerOf(stage, 1).finish();
    for (let turn = 0; turn < 3; turn++) workerOf(stage, 0).finish();
    expect([...(await here)]).toEqual([50, 12, 20]);
    expect([...(await anytime)]).toEqual([50, 12, -1]);
    expect(workerOf(stage, 1).tasks.every((task) => task.kind === 'clips')).toBe(true);
  });

  it('rejects all work when it is closed, and accepts no more', async () => {
    const stage = await openPool({ workers: 1 });
    const job = stage.pool.openJob();
    const outputs = [1, 2, 3].map((value) => runClip(job, value).output);
    const place = stage.pool.occurrence({ latitude: 0, longitude: 0, week: null });
    const closed = stage.pool.close();
    for (const work of [...outputs, place]) await expect(work).rejects.toMatchObject({ code: 'RUNNER_CLOSED' });
    await closed;
    expect(workerOf(stage, 0).close).toHaveBeenCalledOnce();
    expect(() => stage.pool.openJob()).toThrow(expect.objectContaining({ code: 'RUNNER_CLOSED' }));
    await expect(stage.pool.occurrence({ latitude: 0, longitude: 0, week: null })).rejects.toMatchObject({
      code: 'RUNNER_CLOSED',
    });
  });

  it('does not start with a model that the workers refuse, and leaves no worker behind', async () => {
    const workers: FakeWorker[] = [];
    const pool = startPool({
      clipSamples: 2,
      labelCount: 3,
      wholeYear: -1,
      workers: 2,
      maxBatchClips: 2,
      startWorker(events) {
        const worker = new FakeWorker(events);
        const first = workers.push(worker) === 1;
        queueMicrotask(() =>
          events.onReply(first ? { kind: 'ready' } : { kind: 'unfit', found: '9 outputs a clip', expected: '3 labels' }),
        );
        return worker;
      },
    });
    await expect(pool).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      details: { found: '9 outputs a clip', expected: '3 labels' },
    });
    for (const worker of workers) expect(worker.close).toHaveBeenCalledOnce();
  });

  it('rejects work when no worker can be started any more', async () => {
    let starts = 0;
    const workers: FakeWorker[] = [];
    const pool = await startPool({
      clipSamples: 2,
      labelCount: 3,
      wholeYear: -1,
      workers: 1,
      maxBatchClips: 2,
      startWorker(events) {
        const worker = new FakeWorker(events);
        workers.push(worker);
        const fit = starts++ === 0;
        queueMicrotask(() => (fit ? events.onReply({ kind: 'ready' }) : events.onGone('no threads left')));
        return worker;
      },
    });
    const { output } = runClip(pool.openJob(), 1);
    workers[0]?.events.onGone('killed');
    await expect(output).rejects.toMatchObject({ code: 'INFERENCE_FAILED' });
    expect(starts).toBe(2);
  });
});
