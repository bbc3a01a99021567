import pLimit from 'p-limit';
import type { KeptSound } from './sound-store.ts';

export interface KeptAudioSchedulerOptions {
  /** Makes missing parts. Can be interrupted at any point and restarted. */
  readonly prepare: (sound: KeptSound, options: { signal: AbortSignal; isWaitedFor: boolean }) => Promise<void>;
  /** Called after a failure. */
  readonly onFailure: (sound: KeptSound, error: unknown) => Promise<void>;
}

/** Longer recordings have a lane of their own, so that no request waits minutes for the excerpts of a short one. They cannot be hurried. */
export const LONG_SECONDS = 600;
/** One is decoded while another is transformed. */
const WAITED_FOR_AT_ONCE = 2;

interface Work {
  readonly sound: KeptSound;
  readonly lane: 'short' | 'long' | 'waitedFor';
  readonly stopping: AbortController;
  /** what makes it now, or the attempt that it replaces */
  running: Promise<void>;
  over: Promise<void>;
}

export type KeptAudioScheduler = ReturnType<typeof createKeptAudioScheduler>;

/** Prepares kept audio: one at a time per lane in the background, and immediately if a request waits for it. */
export function createKeptAudioScheduler({ prepare, onFailure }: KeptAudioSchedulerOptions) {
  const lanes = { short: pLimit(1), long: pLimit(1), waitedFor: pLimit(WAITED_FOR_AT_ONCE) };
  const works = new Map<string, Work>();
  let isClosed = false;

  async function run(work: Work): Promise<void> {
    const { sound, lane, stopping } = work;
    try {
      await prepare(sound, { signal: stopping.signal, isWaitedFor: lane === 'waitedFor' });
    } catch (error) {
      if (!stopping.signal.aborted) await onFailure(sound, error);
    }
    if (works.get(sound.id) === work) works.delete(sound.id);
  }

  /** @param before an attempt that has been stopped */
  function enter(sound: KeptSound, lane: Work['lane'], before = Promise.resolve()): void {
    const work: Work = { sound, lane, stopping: new AbortController(), running: before, over: before };
    works.set(sound.id, work);
    work.over = lanes[lane](async () => {
      await before;
      if (work.stopping.signal.aborted) return;
      work.running = run(work);
      await work.running;
    });
  }

  async function stop(id: string): Promise<void> {
    const work = works.get(id);
    works.delete(id);
    work?.stopping.abort();
    await work?.running;
  }

  return {
    /** Adds audio to prepare, unless it was added before. */
    begin(sound: KeptSound): void {
      if (!works.has(sound.id) && !isClosed) enter(sound, sound.durationSeconds > LONG_SECONDS ? 'long' : 'short');
    },
    /** Prepares this audio now, because a request waits for it. Idempotent; ignores unknown ids. */
    hurry(id: string): void {
      const work = works.get(id);
      if (work?.lane !== 'short') return;
      work.stopping.abort();
      enter(work.sound, 'waitedFor', work.running);
    },
    has: (id: string): boolean => works.has(id),
    ids: (): string[] => [...works.keys()],
    /** Resolves when nothing is being prepared. */
    async settled(): Promise<void> {
      while (works.size > 0) await Promise.all([...works.values()].map(({ over }) => over));
    },
    /** Interrupts work, and waits until it has ended. */
    stop,
    /** Interrupts all work. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all([...works.keys()].map(stop));
    },
  };
}
