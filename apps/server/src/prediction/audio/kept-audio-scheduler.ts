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
  /** Ends it for good. */
  readonly stopping: AbortController;
  /** Ends the current attempt, to replace it with one that a request waits for. */
  attempt: AbortController;
  isWaitedFor: boolean;
  running: Promise<void>;
  /** Resolves when nothing of it is being made any more. */
  readonly over: PromiseWithResolvers<void>;
}

export type KeptAudioScheduler = ReturnType<typeof createKeptAudioScheduler>;

/** Prepares kept audio: one at a time per lane in the background, and immediately if a request waits for it. */
export function createKeptAudioScheduler({ prepare, onFailure }: KeptAudioSchedulerOptions) {
  const lanes = { short: pLimit(1), long: pLimit(1), waitedFor: pLimit(WAITED_FOR_AT_ONCE) };
  const works = new Map<string, Work>();
  const closing = new AbortController();

  async function run(work: Work, isWaitedFor: boolean): Promise<void> {
    const { sound, stopping, attempt } = work;
    const isOver = (): boolean => stopping.signal.aborted || closing.signal.aborted;
    // Hurried work runs in another lane.
    if (isOver() || works.get(sound.id) !== work || work.isWaitedFor !== isWaitedFor) return;
    try {
      await prepare(sound, { signal: AbortSignal.any([stopping.signal, closing.signal, attempt.signal]), isWaitedFor });
    } catch (error) {
      if (attempt.signal.aborted) return;
      if (!isOver()) await onFailure(sound, error);
    }
    if (works.get(sound.id) === work) works.delete(sound.id);
    work.over.resolve();
  }

  /** Runs one attempt after another. */
  function enter(work: Work, isWaitedFor: boolean): Promise<void> {
    const before = work.running;
    return before.then(() => {
      work.running = run(work, isWaitedFor);
      return work.running;
    });
  }

  async function stop(id: string): Promise<void> {
    const work = works.get(id);
    if (work === undefined) return;
    works.delete(id);
    work.stopping.abort();
    await work.running;
    work.over.resolve();
  }

  return {
    /** Adds audio to prepare, unless it was added before. */
    begin(sound: KeptSound): void {
      if (works.has(sound.id) || closing.signal.aborted) return;
      const work: Work = {
        sound,
        stopping: new AbortController(),
        attempt: new AbortController(),
        isWaitedFor: false,
        running: Promise.resolve(),
        over: Promise.withResolvers<void>(),
      };
      works.set(sound.id, work);
      const lane = sound.durationSeconds > LONG_SECONDS ? lanes.long : lanes.short;
      void lane(() => (work.isWaitedFor ? undefined : enter(work, false)));
    },
    /** Prepares this audio now, because a request waits for it. Idempotent; ignores unknown ids. */
    hurry(id: string): void {
      const work = works.get(id);
      if (work === undefined || work.isWaitedFor || work.sound.durationSeconds > LONG_SECONDS) return;
      work.isWaitedFor = true;
      work.attempt.abort();
      work.attempt = new AbortController();
      void lanes.waitedFor(() => enter(work, true));
    },
    has: (id: string): boolean => works.has(id),
    ids: (): string[] => [...works.keys()],
    /** Resolves when nothing is being prepared. */
    async settled(): Promise<void> {
      while (works.size > 0) await Promise.all([...works.values()].map(({ over }) => over.promise));
    },
    /** Interrupts work, and waits until it has ended. */
    stop,
    /** Interrupts all work. */
    async close(): Promise<void> {
      closing.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.all([...works.values()].map(({ running }) => running));
    },
  };
}
