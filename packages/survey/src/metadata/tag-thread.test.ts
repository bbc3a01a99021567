import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Findings } from './findings.ts';
import { createTagReader } from './tag-thread.ts';

const found = (serial: string): Findings => ({ time: null, madeAtMs: null, place: null, serial, temperature: null, notes: [] });

/** Threads that read a file's name as its serial number; a file called `busy` keeps its thread busy. */
function openThreads(ready = Promise.resolve()) {
  const threads: { readonly asked: (string | null)[]; isEnded: boolean }[] = [];
  const read = createTagReader<string>(() => {
    const thread = { asked: [] as (string | null)[], isEnded: false };
    threads.push(thread);
    return {
      async read(file) {
        thread.asked.push(file);
        if (file === null) await ready;
        if (file === 'busy') await new Promise(() => {});
        return found(file ?? '');
      },
      end() {
        thread.isEnded = true;
      },
    };
  });
  return { threads, read };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('A reader of the metadata in audio files (`createTagReader`)', () => {
  it('reads one file after the other in one thread', async () => {
    const { threads, read } = openThreads();
    const all = Promise.all(['a', 'b', 'c'].map(read));
    await vi.advanceTimersByTimeAsync(0);
    expect((await all).map(({ serial }) => serial)).toEqual(['a', 'b', 'c']);
    expect(threads).toEqual([{ asked: [null, 'a', 'b', 'c'], isEnded: false }]);
  });

  it('ends a thread that one file keeps busy for a second, and asks a new one for the next file', async () => {
    const { threads, read } = openThreads();
    const [busy, next] = [read('busy'), read('next')];
    const failure = expect(busy).rejects.toThrow('No tags within 1000 ms');
    await vi.advanceTimersByTimeAsync(999);
    expect(threads).toEqual([{ asked: [null, 'busy'], isEnded: false }]);
    await vi.advanceTimersByTimeAsync(1);
    await failure;
    expect((await next).serial).toBe('next');
    expect(threads).toEqual([
      { asked: [null, 'busy'], isEnded: true },
      { asked: [null, 'next'], isEnded: false },
    ]);
  });

  it('does not count the time in which its thread starts, but gives up on a thread that does not start', async () => {
    const started = Promise.withResolvers<void>();
    const slow = openThreads(started.promise);
    const first = slow.read('first');
    await vi.advanceTimersByTimeAsync(9_999);
    started.resolve();
    expect((await first).serial).toBe('first');
    const never = openThreads(new Promise(() => {}));
    const failure = expect(never.read('file')).rejects.toThrow('No tags within 10000 ms');
    await vi.advanceTimersByTimeAsync(10_000);
    await failure;
    expect(never.threads).toEqual([{ asked: [null], isEnded: true }]);
  });
});
