import { expect, it, vi } from 'vitest';
import { createCachedWork } from './cached-work.ts';

const open = () => new AbortController().signal;

/** Work whose end a test decides. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const make = vi.fn((_signal: AbortSignal) => promise);
  return { make, resolve, reject };
}

it('The cache of costly work (`createCachedWork`) does work once for all callers who wait, and keeps the result', async () => {
  const work = createCachedWork<string>(2);
  const { make, resolve } = gate();
  const all = Array.from({ length: 5 }, () => work(['id', '1'], open(), make));
  resolve('done');
  expect(await Promise.all(all)).toEqual(Array(5).fill('done'));
  expect(await work(['id', '1'], open(), make)).toBe('done');
  expect(make).toHaveBeenCalledOnce();
  expect(await work(['id', '2'], open(), async () => 'another revision')).toBe('another revision');
});

it('The cache of costly work (`createCachedWork`) stops work once all who wait for it have left, and does it again for the next caller', async () => {
  const work = createCachedWork<string>(2);
  const { make } = gate();
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [one, other].map(({ signal }) => work(['id'], signal, make));
  one.abort(new Error('gone'));
  await expect(waiting[0]).rejects.toThrow('gone');
  expect(make.mock.calls[0]?.[0].aborted).toBe(false);
  other.abort(new Error('gone too'));
  await expect(waiting[1]).rejects.toThrow('gone too');
  expect(make.mock.calls[0]?.[0].aborted).toBe(true);
  expect(await work(['id'], open(), async () => 'again')).toBe('again');
});

it('The cache of costly work (`createCachedWork`) repeats work that failed, and forgets the least recently used results', async () => {
  const work = createCachedWork<string>(2);
  const { make, reject } = gate();
  const failed = [work(['id'], open(), make), work(['id'], open(), make)];
  reject(new Error('no disk'));
  for (const one of failed) await expect(one).rejects.toThrow('no disk');
  const made = vi.fn(async () => 'made');
  for (const key of ['id', 'other', 'id', 'third', 'id', 'other']) await work([key], open(), made);
  expect(made).toHaveBeenCalledTimes(4);
});
