// biome-ignore lint/plugin: sleeps; to become a gate
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { createLargeAnswerLimiter, type LargeAnswerLimiter } from './large-answer-limiter.ts';

let work: LargeAnswerLimiter;
afterEach(() => work.close());

const busy = { code: 'SERVER_BUSY', details: { by: 'largeAnswers', retryAfterSeconds: expect.any(Number) } };

/** Work that waits until it is released. */
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

it('Large stored answers are opened one after another, and their owners take turns', async () => {
  work = createLargeAnswerLimiter();
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

it('Large stored answers of one owner beyond a few that wait are refused, with the time to try again', async () => {
  work = createLargeAnswerLimiter();
  const first = held('ann');
  const waiting = Array.from({ length: 4 }, () => held('ann'));
  await expect(held('ann').done).rejects.toMatchObject({ ...busy, details: { ...busy.details, by: 'ownLargeAnswers' } });
  const other = held('ben');
  const analysis = held('ann', true);
  for (const each of [first, ...waiting, other, analysis]) each.release();
  expect(await Promise.all([first, ...waiting, other, analysis].map(({ done }) => done))).toHaveLength(7);
});

it('Large stored answers of one owner do not keep those of others from being opened', async () => {
  work = createLargeAnswerLimiter();
  const patient = Array.from({ length: 100 }, () => held('ann', true));
  const other = held('ben');
  for (const each of [...patient, other]) each.release();
  expect(await other.done).toBe('ben');
  await Promise.all(patient.map(({ done }) => done));
});

it('Large stored answers of several owners are opened at the same time if the limit allows, and those of one owner in order', async () => {
  work = createLargeAnswerLimiter(2);
  const [ann, next, ben, cleo] = [held('ann'), held('ann'), held('ben'), held('cleo')];
  await Promise.all([ann.begun, ben.begun]);
  ben.release();
  await cleo.begun;
  for (const each of [ann, next, cleo]) each.release();
  expect(await Promise.all([ann, next, ben, cleo].map(({ done }) => done))).toEqual(['ann', 'ann', 'ben', 'cleo']);
});

it('Large stored answers that wait or are half opened are refused when the server stops, while analyses continue', async () => {
  work = createLargeAnswerLimiter();
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
