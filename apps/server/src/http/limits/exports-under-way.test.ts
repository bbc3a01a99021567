import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { beforeEach, expect, it } from 'vitest';
import { createExportsUnderWay, type ExportsUnderWay } from './exports-under-way.ts';

let exports: ExportsUnderWay;
let nowMs = 0;
beforeEach(() => {
  exports = createExportsUnderWay(() => nowMs);
});

const refusal = { code: 'EXPORT_UNDER_WAY', details: { retryAfterSeconds: 10 } };
const begin = (accountId: string, pieces: Iterable<string> | AsyncIterable<string> = ['all']) =>
  exports.begin(accountId, async () => Readable.from(pieces));

it('An account can run one export of its data at a time', async () => {
  const own = await begin('ann');
  await expect(begin('ann')).rejects.toMatchObject(refusal);
  expect(() => exports.requireNone('ann')).toThrow('EXPORT_UNDER_WAY');
  await begin('ben');
  expect(await own.toArray()).toEqual(['all']);
  expect(await (await begin('ann')).toArray()).toEqual(['all']);
});

it('An export no longer counts as running if starting it has failed', async () => {
  await expect(exports.begin('ann', () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  exports.requireNone('ann');
});

it('An export no longer counts as running when its client has disconnected, even if nothing of it was read', async () => {
  const own = await begin('ann');
  own.destroy();
  await finished(own).catch(() => {});
  exports.requireNone('ann');
});

it('An export counts as running until the work that writes it has ended', async () => {
  const gate = Promise.withResolvers<void>();
  async function* slow() {
    await gate.promise;
    yield 'all';
  }
  const own = await begin('ann', slow());
  own.read(0);
  own.destroy();
  await expect(begin('ann')).rejects.toMatchObject(refusal);
  gate.resolve();
  await finished(own).catch(() => {});
  exports.requireNone('ann');
});

it('An export whose stream closes late does not end the next export of its account', async () => {
  const first = await exports.begin('ann', async () => Readable.from(['all'], { autoDestroy: false }));
  await first.toArray();
  await begin('ann');
  first.destroy();
  await finished(first).catch(() => {});
  await expect(begin('ann')).rejects.toMatchObject(refusal);
});

it('An export is ended by a new one of its account when its client has read nothing for half a minute', async () => {
  const own = await begin(
    'ann',
    Array.from({ length: 100 }, () => 'x'.repeat(100_000)),
  );
  const paused = once(own, 'pause');
  const taken: (() => void)[] = [];
  own.pipe(new Writable({ highWaterMark: 1, write: (_piece, _encoding, done) => void taken.push(done) }));
  await paused;
  nowMs += 30_000;
  await expect(begin('ann')).rejects.toMatchObject(refusal);
  // Its reader continues.
  const resumed = once(own, 'resume');
  const pausedAgain = once(own, 'pause');
  taken.shift()?.();
  await resumed;
  await pausedAgain;
  nowMs += 30_000;
  await expect(begin('ann')).rejects.toMatchObject(refusal);
  expect(own.destroyed).toBe(false);
  nowMs += 1;
  await expect(begin('ann')).rejects.toMatchObject(refusal);
  await finished(own).catch(() => {});
  expect(await (await begin('ann')).toArray()).toEqual(['all']);
});
