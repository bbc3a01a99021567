// biome-ignore lint/plugin: sleeps; to become a gate
import { setImmediate as nextEvents, setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createFairLimiter, type FairLimiter, type Requester } from './fair-limiter.ts';

let work: FairLimiter;
afterEach(() => work.close());

const busy = { code: 'SERVER_BUSY', details: { retryAfterSeconds: expect.any(Number) } };

/** Work that waits until it is released. */
function held(owner: string, requester: Omit<Requester, 'owner'> = {}) {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const done = work.run({ owner, ...requester }, async () => {
    begun.resolve();
    await gate.promise;
    return owner;
  });
  done.catch(() => {});
  return { begun: begun.promise, release: gate.resolve, done };
}

it('The limiter of costly work does one piece of work after another, and owners take turns', async () => {
  work = createFairLimiter();
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

it('The limiter of costly work lets the server handle other events between pieces of work that never wait for anything', async () => {
  work = createFairLimiter({ atOnce: 2 });
  let done = 0;
  const all = Array.from({ length: 20 }, (_, index) => work.run({ owner: `owner ${index}` }, async () => done++));
  await nextEvents();
  await nextEvents();
  expect(done).toBeLessThan(10);
  await Promise.all(all);
});

it('The limiter of costly work refuses work of an owner with several pieces waiting, and says when to try again', async () => {
  work = createFairLimiter();
  const first = held('ann');
  const waiting = Array.from({ length: 4 }, () => held('ann'));
  await expect(held('ann').done).rejects.toMatchObject({ ...busy, details: { ...busy.details, by: 'requests' } });
  const other = held('ben');
  const analysis = held('ann', { patient: true });
  for (const each of [first, ...waiting, other, analysis]) each.release();
  expect(await Promise.all([first, ...waiting, other, analysis].map(({ done }) => done))).toHaveLength(7);
});

it('The limiter of costly work accepts and does work of one owner while another has a hundred pieces waiting', async () => {
  work = createFairLimiter();
  const patient = Array.from({ length: 100 }, () => held('ann', { patient: true }));
  const other = held('ben');
  for (const each of [...patient, other]) each.release();
  expect(await other.done).toBe('ben');
  await Promise.all(patient.map(({ done }) => done));
});

it('The limiter of costly work does work of several owners at once if the limit allows, and that of one owner in order', async () => {
  work = createFairLimiter({ atOnce: 2 });
  const [ann, next, ben, cleo] = [held('ann'), held('ann'), held('ben'), held('cleo')];
  await Promise.all([ann.begun, ben.begun]);
  ben.release();
  await cleo.begun;
  for (const each of [ann, next, cleo]) each.release();
  expect(await Promise.all([ann, next, ben, cleo].map(({ done }) => done))).toEqual(['ann', 'ann', 'ben', 'cleo']);
});

it('The limiter of costly work refuses waiting and running work when the server stops, while analyses continue', async () => {
  work = createFairLimiter();
  const [running, waiting, analysis] = [held('ann'), held('ann'), held('ben', { patient: true })];
  await running.begun;
  work.beginClosing();
  await expect(running.done).rejects.toMatchObject(busy);
  await expect(waiting.done).rejects.toMatchObject(busy);
  await expect(work.run({ owner: 'cleo' }, async () => {})).rejects.toMatchObject(busy);
  running.release();
  analysis.release();
  expect(await analysis.done).toBe('ben');
});

describe('The limiter of costly work for visitors who are not signed in', () => {
  const visitor = { isVisitor: true } as const;

  it('does one piece of work at a time for each network, even if an account may have several', async () => {
    work = createFairLimiter({ atOnce: 3, eachAtOnce: 2 });
    const [first, second] = [held('network a', visitor), held('network a', visitor)];
    const accounts = [held('ann'), held('ann')];
    await Promise.all([first.begun, ...accounts.map(({ begun }) => begun)]);
    let hasBegun = false;
    void second.begun.then(() => {
      hasBegun = true;
    });
    for (const { release } of accounts) release();
    await Promise.all(accounts.map(({ done }) => done));
    expect(hasBegun).toBe(false);
    first.release();
    await second.begun;
    second.release();
    await second.done;
  });

  it('refuses their work when much of it waits, and still accepts that of accounts', async () => {
    work = createFairLimiter({ most: 6 });
    const visitors = ['a', 'b', 'c'].map((network) => held(network, visitor));
    await expect(held('d', visitor).done).rejects.toMatchObject(busy);
    const accounts = ['ann', 'ben', 'cleo'].map((account) => held(account));
    await expect(held('dora').done).rejects.toMatchObject(busy);
    for (const { release } of [...visitors, ...accounts]) release();
    expect(await Promise.all([...visitors, ...accounts].map(({ done }) => done))).toHaveLength(6);
  });

  it('lets them take turns with accounts, however many visitors wait and even if they came first', async () => {
    work = createFairLimiter();
    const order: string[] = [];
    const note = (owner: string, requester = {}) => work.run({ owner, ...requester }, async () => void order.push(owner));
    const first = held('a', visitor);
    const all = [note('b', visitor), note('c', visitor), note('ann'), note('ben')];
    first.release();
    await Promise.all(all);
    expect(order).toEqual(['ann', 'b', 'ben', 'c']);
  });

  it('drops waiting work at once when its connection closes, and frees the place of running work once that ends', async () => {
    work = createFairLimiter({ mostEach: 2 });
    const [ofFirst, ofSecond] = [new AbortController(), new AbortController()];
    const first = held('a', { ...visitor, signal: ofFirst.signal });
    const second = held('a', { ...visitor, signal: ofSecond.signal });
    await first.begun;
    await expect(held('a', visitor).done).rejects.toMatchObject(busy);
    for (const closed of [ofFirst, ofSecond]) closed.abort(new Error('gone'));
    await expect(first.done).rejects.toThrow('gone');
    await expect(second.done).rejects.toThrow('gone');
    const third = held('a', visitor);
    await expect(held('a', visitor).done).rejects.toMatchObject(busy);
    let hasSecondBegun = false;
    void second.begun.then(() => {
      hasSecondBegun = true;
    });
    first.release();
    await third.begun;
    third.release();
    expect(await third.done).toBe('a');
    expect(hasSecondBegun).toBe(false);
  });
});
