import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createPurges } from './create-purges.ts';
import type { PredictionStore } from './prediction-store.ts';

/** Purges of rows that take so long each. */
function purgesOf(rows: string[], milliseconds: number) {
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
  return createPurges({ store: store as unknown as PredictionStore, sounds, log, restorableMs: 0, patienceMs: 200 });
}

describe('purges', () => {
  it('are waited for where they are short, and go on by themselves where they are not', async () => {
    const [few, many] = [['a', 'b'], Array.from({ length: 20 }, (_, n) => String(n))];
    await purgesOf(few, 1).run();
    expect(few).toEqual([]);
    const purges = purgesOf(many, 25);
    await purges.run();
    expect(many.length).toBeGreaterThan(0);
    await expect.poll(() => many, { timeout: 5000 }).toEqual([]);
    await purges.close();
  });

  it('take along what becomes overdue while they run', async () => {
    const rows = ['a'];
    const purges = purgesOf(rows, 20);
    const first = purges.run();
    await wait(5);
    rows.push('later');
    await purges.run();
    await first;
    expect(rows).toEqual([]);
  });

  it('come to their end at the end of the server, unless that takes long', async () => {
    const [few, slow] = [
      ['a', 'b'],
      ['a', 'b'],
    ];
    const [short, long] = [purgesOf(few, 20), purgesOf(slow, 60_000)];
    void short.run();
    void long.run();
    await Promise.all([short.close(), long.close()]);
    expect([few, slow]).toEqual([[], ['a', 'b']]);
  });
});
