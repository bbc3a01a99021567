// biome-ignore lint/plugin: sleeps; to become a gate
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createDeletionWorker } from './deletion-worker.ts';
import type { PredictionStore } from './prediction-store.ts';

/** A worker whose rows each take this long. */
function workerFor(rows: string[], milliseconds: number) {
  const store = {
    overdue: async () => rows.map((id) => ({ id, accountId: 'gone' })),
    async purge(id: string, signal: AbortSignal) {
      await wait(milliseconds, undefined, { signal }).catch(() => {});
      if (!signal.aborted) rows.splice(rows.indexOf(id), 1);
    },
  } satisfies Partial<PredictionStore>;
  const sounds = {
    keepSound: async () => {},
    keptAudioOf: async () => new Map(),
    forget: async () => {},
    forgetAccount: async () => {},
  };
  const log = pino({ level: 'silent' });
  return createDeletionWorker({ store: store as unknown as PredictionStore, sounds, log, restorableMs: 0, patienceMs: 200 });
}

describe('The deletion worker', () => {
  it('lets its caller wait while it deletes a few predictions, and deletes many in the background', async () => {
    const [few, many] = [['a', 'b'], Array.from({ length: 20 }, (_, n) => String(n))];
    await workerFor(few, 1).run();
    expect(few).toEqual([]);
    const worker = workerFor(many, 25);
    await worker.run();
    expect(many.length).toBeGreaterThan(0);
    await expect.poll(() => many).toEqual([]);
    await worker.close();
  });

  it('also deletes what becomes due while it runs', async () => {
    const rows = ['a'];
    const worker = workerFor(rows, 20);
    const first = worker.run();
    await wait(5);
    rows.push('later');
    await worker.run();
    await first;
    expect(rows).toEqual([]);
  });

  it('finishes before the server ends, unless that takes long', async () => {
    const [few, slow] = [
      ['a', 'b'],
      ['a', 'b'],
    ];
    const [short, long] = [workerFor(few, 20), workerFor(slow, 60_000)];
    void short.run();
    void long.run();
    await Promise.all([short.close(), long.close()]);
    expect([few, slow]).toEqual([[], ['a', 'b']]);
  });
});
