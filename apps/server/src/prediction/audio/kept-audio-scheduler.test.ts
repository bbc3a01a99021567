import { eventually } from '@chiffchaff/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeptAudioScheduler, type KeptAudioScheduler } from './kept-audio-scheduler.ts';
import type { KeptSound } from './sound-store.ts';

interface Attempt {
  readonly id: string;
  readonly isWaitedFor: boolean;
  readonly signal: AbortSignal;
  end(): void;
  fail(error: Error): void;
}

const soundOf = (id: string, durationSeconds = 10): KeptSound => ({
  ...{ id, accountId: 'a', predictionId: id, createdAtMs: 0, recordingUntilMs: 1, momentsUntilMs: null },
  ...{ moments: [], durationSeconds, channels: 1, asSentType: null, preparedAtMs: null, preparingUntilMs: null },
});

let attempts: Attempt[];
let failures: string[];
let scheduler: KeptAudioScheduler;

beforeEach(() => {
  attempts = [];
  failures = [];
  scheduler = createKeptAudioScheduler({
    prepare: ({ id }, { signal, isWaitedFor }) =>
      new Promise((resolve, reject) => attempts.push({ id, isWaitedFor, signal, end: resolve, fail: reject })),
    async onFailure({ id }) {
      failures.push(id);
    },
  });
});
afterEach(async () => {
  const closed = scheduler.close();
  for (const { fail, signal } of attempts) fail(signal.reason);
  await closed;
});

const begun = () => attempts.map(({ id, isWaitedFor }) => `${id}${isWaitedFor ? '!' : ''}`);
const untilBegun = (expected: readonly string[]) => eventually(() => expect(begun()).toEqual(expected));

describe('The preparation of kept audio', () => {
  it('prepares one short recording after another, with long recordings beside them', async () => {
    for (const sound of [soundOf('one'), soundOf('two'), soundOf('hours', 7200)]) scheduler.begin(sound);
    await untilBegun(['one', 'hours']);
    attempts[0]?.end();
    await untilBegun(['one', 'hours', 'two']);
    expect(scheduler.has('one')).toBe(false);
  });

  it('begins at once, before that of earlier recordings, when a request waits for it', async () => {
    for (const id of ['one', 'two', 'three']) scheduler.begin(soundOf(id));
    scheduler.hurry('three');
    scheduler.hurry('three');
    await untilBegun(['one', 'three!']);
    attempts[1]?.end();
    await eventually(() => expect(scheduler.has('three')).toBe(false));
    attempts[0]?.end();
    await untilBegun(['one', 'three!', 'two']);
  });

  it('that already runs is stopped and begun again with high priority when a request waits for it', async () => {
    scheduler.begin(soundOf('one'));
    await untilBegun(['one']);
    scheduler.hurry('one');
    await eventually(() => expect(attempts[0]?.signal.aborted).toBe(true));
    expect(begun()).toEqual(['one']);
    attempts[0]?.fail(new Error('broken off'));
    await untilBegun(['one', 'one!']);
    expect(scheduler.has('one')).toBe(true);
    attempts[1]?.end();
    await eventually(() => expect(scheduler.has('one')).toBe(false));
    expect(failures).toEqual([]);
  });

  it('of a long recording does not overtake that of an earlier one when a request waits for it', async () => {
    scheduler.begin(soundOf('hours', 7200));
    scheduler.begin(soundOf('more', 7200));
    scheduler.hurry('more');
    await untilBegun(['hours']);
    expect(attempts[0]?.signal.aborted).toBe(false);
  });

  it('can be stopped before and while it runs, and submitted again', async () => {
    for (const id of ['one', 'two']) scheduler.begin(soundOf(id));
    await untilBegun(['one']);
    await scheduler.stop('two');
    const stopped = scheduler.stop('one');
    expect(attempts[0]?.signal.aborted).toBe(true);
    attempts[0]?.fail(new Error('broken off'));
    await stopped;
    expect([scheduler.has('one'), scheduler.has('two')]).toEqual([false, false]);
    scheduler.begin(soundOf('one'));
    await untilBegun(['one', 'one']);
    expect(failures).toEqual([]);
  });

  it('reports a recording whose audio cannot be made', async () => {
    scheduler.begin(soundOf('one'));
    await untilBegun(['one']);
    attempts[0]?.fail(new Error('no sound'));
    await eventually(() => expect(failures).toEqual(['one']));
    await eventually(() => expect(scheduler.has('one')).toBe(false));
  });
});
