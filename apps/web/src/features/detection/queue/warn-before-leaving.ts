import type { PredictionQueue } from './prediction-queue.ts';

const watched = new WeakSet<PredictionQueue>();

/**
 * Lets the browser ask before the page is left, only while something would be lost: a recording that is still being sent or waits for
 * that, and one being listened to for nobody's account. Of others, the answer waits in the history.
 *
 * Watches from the first call on, because the queue outlives the screen.
 */
export function warnBeforeLeaving(queue: PredictionQueue, isKept: () => boolean, page: EventTarget = window): void {
  if (watched.has(queue)) return;
  watched.add(queue);
  page.addEventListener('beforeunload', (event) => {
    const wouldBeLost = queue
      .snapshot()
      .entries.some(({ state: { kind } }) => kind === 'idle' || kind === 'uploading' || (kind === 'listening' && !isKept()));
    if (wouldBeLost) event.preventDefault();
  });
}
