import pLimit from 'p-limit';
import type { KeptSound } from './sound-store.ts';

export interface PreparationsOptions {
  /** Makes what is missing; can be broken off anywhere and begun again. */
  readonly prepare: (sound: KeptSound, options: { signal: AbortSignal; isWaitedFor: boolean }) => Promise<void>;
  /** Told of a failure. */
  readonly onFailure: (sound: KeptSound, error: unknown) => Promise<void>;
}

/** What is longer is made beside the others, so that no request waits minutes for the excerpts of a short recording. It is not hurried: it takes what it takes. */
export const LONG_SECONDS = 600;
/** One decodes while another is transformed. */
const WAITED_FOR_AT_ONCE = 2;

interface Work {
  readonly sound: KeptSound;
  /** Ends it for good. */
  readonly stopping: AbortController;
  /** Ends the present attempt, for one that is made at once. */
  attempt: AbortController;
  isWaitedFor: boolean;
  running: Promise<void>;
  /** Resolves when nothing is made of it any more. */
  readonly over: PromiseWithResolvers<void>;
}

export type Preparations = ReturnType<typeof createPreparations>;

/** Work on kept sounds: one after another beside everything else, and at once what a request waits for. */
export function createPreparations({ prepare, onFailure }: PreparationsOptions) {
  const lanes = { short: pLimit(1), long: pLimit(1), waitedFor: pLimit(WAITED_FOR_AT_ONCE) };
  const works = new Map<string, Work>();
  const closing = new AbortController();

  async function run(work: Work, isWaitedFor: boolean): Promise<void> {
    const { sound, stopping, attempt } = work;
    const isOver = (): boolean => stopping.signal.aborted || closing.signal.aborted;
    // What has been hurried meanwhile is made elsewhere.
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

  /** One attempt after another. */
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
    /** Takes a sound in, unless it is there. */
    begin(sound: KeptSound): void {
      if (works.has(sound.id) || closing.signal.aborted) return;
      const work: Work = {
        ...{ sound, stopping: new AbortController(), attempt: new AbortController() },
        ...{ isWaitedFor: false, running: Promise.resolve(), over: Promise.withResolvers<void>() },
      };
      works.set(sound.id, work);
      const lane = sound.durationSeconds > LONG_SECONDS ? lanes.long : lanes.short;
      void lane(() => (work.isWaitedFor ? undefined : enter(work, false)));
    },
    /** A request waits for this sound: it is made now. Does no harm twice, nor for one that is not there. */
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
    /** Resolves when nothing is made. */
    async settled(): Promise<void> {
      while (works.size > 0) await Promise.all([...works.values()].map(({ over }) => over.promise));
    },
    /** Breaks off work on a sound, and waits until that has ended. */
    stop,
    /** Breaks off all. */
    async close(): Promise<void> {
      closing.abort(new DOMException('The server is stopping', 'AbortError'));
      await Promise.all([...works.values()].map(({ running }) => running));
    },
  };
}
