import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { predictionFor } from '../../../testing/fake-analyzer.ts';
import { createLargeWork, type LargeWork } from './large-work.ts';

let work: LargeWork;
afterEach(() => work.close());

const busy = { code: 'SERVER_BUSY', details: { by: 'largeAnswers', retryAfterSeconds: expect.any(Number) } };

/** Work that waits until it is let go. */
function held(owner: string, patient = false) {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done = work.run({ owner, patient }, async () => {
    begun.resolve();
    await gate.promise;
    return owner;
  });
  done.catch(() => {});
  return { begun: begun.promise, release: gate.resolve, done };
}

it('is done one after the other, owners taking turns', async () => {
  work = createLargeWork('/nowhere');
  const order: string[] = [];
  const note = (owner: string, name: string) =>
    work.run({ owner }, async () => {
      order.push(name);
      await wait(5);
    });
  const first = held('ann');
  const all = [note('ann', 'ann 1'), note('ann', 'ann 2'), note('ben', 'ben 1'), note('ben', 'ben 2')];
  first.release();
  await Promise.all(all);
  expect(order.indexOf('ben 1')).toBeLessThan(order.indexOf('ann 2'));
  expect(order).toHaveLength(4);
});

it('lets a few of an owner wait, refuses more with when to come again, and leaves room for others', async () => {
  work = createLargeWork('/nowhere');
  const first = held('ann');
  const waiting = Array.from({ length: 4 }, () => held('ann'));
  await expect(held('ann').done).rejects.toMatchObject({ ...busy, details: { ...busy.details, by: 'ownLargeAnswers' } });
  const other = held('ben');
  const analysis = held('ann', true);
  for (const each of [first, ...waiting, other, analysis]) each.release();
  expect(await Promise.all([first, ...waiting, other, analysis].map(({ done }) => done))).toHaveLength(7);
});

it('is not begun any more when nobody waits for it', async () => {
  work = createLargeWork('/nowhere');
  const first = held('ann');
  const gone = new AbortController();
  const abandoned = work.run({ owner: 'ben', signal: gone.signal }, async () => 'begun');
  gone.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  first.release();
  expect(await first.done).toBe('ann');
});

it('is refused when the server stops, what is under way too; analyses go on', async () => {
  work = createLargeWork('/nowhere');
  const [running, waiting, analysis] = [held('ann'), held('ann'), held('ben', true)];
  await running.begun;
  work.beginClosing();
  await expect(running.done).rejects.toMatchObject(busy);
  await expect(waiting.done).rejects.toMatchObject(busy);
  await expect(work.run({ owner: 'cleo' }, async () => {})).rejects.toMatchObject(busy);
  running.release();
  analysis.release();
  expect(await analysis.done).toBe('ben');
});

it.skipIf(process.platform !== 'linux')(
  'gives the thread back after what is seldom asked for, unless a table is read',
  async () => {
    work = createLargeWork('/nowhere');
    const threads = (): number => readdirSync('/proc/self/task').length;
    // This has Node start its own threads.
    const answer = await promisify(deflate)(JSON.stringify(predictionFor({ path: '', fileName: 'a.wav' })));
    const before = threads();
    const turn = { owner: 'ann', isRare: true };
    const table = await work.run(turn, (ask) => ask('openTable', { name: 'csv', options: {}, source: { answer } }));
    expect(await work.run(turn, (ask) => ask('readTable', { table }))).toBeInstanceOf(Uint8Array);
    expect(threads()).toBeGreaterThan(before);
    expect(await work.run(turn, (ask) => ask('readTable', { table }))).toBeNull();
    await expect.poll(threads).toBeLessThanOrEqual(before);
  },
);

it('outlives a thread that could not do it', async () => {
  work = createLargeWork('/nowhere');
  const read = (answer: Uint8Array) => work.run({ owner: 'ann' }, (ask) => ask('head', { answer }));
  await expect(read(Buffer.from('no deflate'))).rejects.toThrow('incorrect header');
  await expect(work.run({ owner: 'ann' }, (ask) => ask('readTable', { table: 'none' }))).rejects.toThrow('not open');
});
