import { beginWork } from '../../../platform/browser/work-in-flight.ts';
import { flagsOf } from '../prediction-state.ts';
import type { PredictionQueue } from './prediction-queue.ts';

const followed = new WeakSet<PredictionQueue>();

/**
 * Tells the page while a recording waits, is sent or is listened to: a new version of the page is not loaded meanwhile.
 *
 * Follows from the first call on, because the queue outlives the screen.
 */
export function tellOfWork(queue: PredictionQueue): void {
  if (followed.has(queue)) return;
  followed.add(queue);
  let endWork: (() => void) | null = null;
  queue.subscribe(() => {
    const isWorking = queue.snapshot().entries.some(({ state }) => !flagsOf(state).done);
    if (isWorking) endWork ??= beginWork();
    else {
      endWork?.();
      endWork = null;
    }
  });
}
