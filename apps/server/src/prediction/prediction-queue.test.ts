import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../http/http-problem.ts';
import { createPredictionQueue } from './prediction-queue.ts';

const { signal } = new AbortController();

/** A job that ends when it is told to. */
function createJob() {
  const { promise, resolve } = Promise.withResolvers<string>();
  let started = false;
  return {
    run: () => {
      started = true;
      return promise;
    },
    end: () => resolve('done'),
    get started() {
      return started;
    },
  };
}

/** Lets everything that is ready to go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the prediction queue', () => {
  it('runs as many jobs at once as it may, the others in the order they came', async () => {
    const queue = createPredictionQueue({ running: 2, waiting: 2 });
    const jobs = Array.from({ length: 4 }, createJob);
    const answers = jobs.map((job) => queue.takeSeat().run(signal, job.run));
    await settle();
    expect(jobs.map(({ started }) => started)).toEqual([true, true, false, false]);
    jobs[1]?.end();
    await settle();
    expect(jobs.map(({ started }) => started)).toEqual([true, true, true, false]);
    for (const job of jobs) job.end();
    expect(await Promise.all(answers)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('has no more seats than may run and wait, and a seat that was left is free again, once', () => {
    const queue = createPredictionQueue({ running: 1, waiting: 1 });
    const seat = queue.takeSeat();
    queue.takeSeat();
    expect(() => queue.takeSeat()).toThrow(HttpProblem);
    seat.leave();
    seat.leave();
    queue.takeSeat();
    expect(() => queue.takeSeat()).toThrow('SERVER_BUSY');
  });

  it('passes the turn on when a job fails', async () => {
    const queue = createPredictionQueue({ running: 1, waiting: 1 });
    const failing = queue.takeSeat().run(signal, () => Promise.reject(new Error('broken')));
    const next = queue.takeSeat().run(signal, async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('forgets who does not wait any longer', async () => {
    const queue = createPredictionQueue({ running: 1, waiting: 2 });
    const [first, second, third] = [createJob(), createJob(), createJob()];
    const gone = new AbortController();
    const answers = [queue.takeSeat().run(signal, first.run)];
    const abandoned = queue.takeSeat().run(gone.signal, second.run);
    answers.push(queue.takeSeat().run(signal, third.run));
    gone.abort();
    await expect(abandoned).rejects.toThrow('aborted');
    first.end();
    third.end();
    expect(await Promise.all(answers)).toEqual(['done', 'done']);
    expect(second.started).toBe(false);
  });

  it('keeps its order when the signal aborts at the moment the turn comes', async () => {
    const queue = createPredictionQueue({ running: 1, waiting: 2 });
    const first = createJob();
    const gone = new AbortController();
    const running = queue.takeSeat().run(signal, first.run);
    const abandoned = queue.takeSeat().run(gone.signal, async () => 'never');
    const last = queue.takeSeat().run(signal, async () => 'last');
    first.end();
    // The turn is handed over in the same microtask queue; the abort comes in between.
    void running.then(() => gone.abort());
    await expect(abandoned).rejects.toThrow('aborted');
    expect(await last).toBe('last');
  });

  it('asks to come back later when more are waiting, within limits', () => {
    const retryAfter = (waiting: number): number => {
      const queue = createPredictionQueue({ running: 1, waiting });
      for (let n = 0; n < waiting + 1; n += 1) void queue.takeSeat().run(signal, () => new Promise(() => {}));
      try {
        queue.takeSeat();
      } catch (error) {
        if (error instanceof HttpProblem && error.code === 'SERVER_BUSY') {
          return 'retryAfterSeconds' in error.details ? error.details.retryAfterSeconds : Number.NaN;
        }
      }
      return Number.NaN;
    };
    expect(retryAfter(0)).toBe(2);
    expect(retryAfter(4)).toBe(10);
    expect(retryAfter(1000)).toBe(120);
  });

  it('gives no seat when it is closed', () => {
    const queue = createPredictionQueue({ running: 1, waiting: 1 });
    queue.close();
    expect(() => queue.takeSeat()).toThrow('SERVER_BUSY');
  });
});
