import type { JobOutcome, JobProgress } from './job.ts';

export interface WorkWatcher {
  readonly onProgress?: (progress: JobProgress) => void;
  readonly onOutcome: (outcome: JobOutcome) => void;
}

/** How far this process has come with what it listens to, and who wants to know. Nothing of it outlives the process. */
export interface WorkInHand {
  report(id: string, progress: JobProgress): void;
  /** null when nothing was reported here */
  progressOf(id: string): JobProgress | null;
  /** Tells every watcher what came of it, and forgets it. @returns how many were told */
  settle(id: string, outcome: JobOutcome): number;
  /** @returns a function that ends it */
  watch(id: string, watcher: WorkWatcher): () => void;
}

export function createWorkInHand(): WorkInHand {
  const progresses = new Map<string, JobProgress>();
  const watchers = new Map<string, Set<WorkWatcher>>();

  return {
    report(id, progress) {
      progresses.set(id, progress);
      for (const watcher of watchers.get(id) ?? []) watcher.onProgress?.(progress);
    },
    progressOf: (id) => progresses.get(id) ?? null,
    settle(id, outcome) {
      const told = [...(watchers.get(id) ?? [])];
      watchers.delete(id);
      progresses.delete(id);
      for (const watcher of told) watcher.onOutcome(outcome);
      return told.length;
    },
    watch(id, watcher) {
      const own = watchers.get(id) ?? new Set();
      watchers.set(id, own.add(watcher));
      return () => {
        own.delete(watcher);
        if (own.size === 0 && watchers.get(id) === own) watchers.delete(id);
      };
    },
  };
}
