import { workInFlight } from '../../../platform/browser/work-in-flight.ts';
import type { AuthSession } from '../../../platform/session/create-auth-session.ts';
import { flagsOf } from '../prediction-state.ts';
import type { PredictionQueue } from './prediction-queue.ts';

const connected = new WeakSet<PredictionQueue>();

/**
 * Connects a queue with account and page, from the first call on: it outlives the screen. Signing out drops predictions. What is in work at
 * expiry goes on, and what waits is sent when the same account has signed in again. The browser asks before the page is left only while
 * something would be lost: of an analysis with an account, the answer waits in the history.
 */
export function connectQueue(queue: PredictionQueue, session: AuthSession, page: EventTarget = window): void {
  if (connected.has(queue)) return;
  connected.add(queue);
  const account = () => session.snapshot().state;
  let owner = account().localId;
  session.onEnd((how) => {
    if (how !== 'expired') {
      queue.reset();
      return;
    }
    queue.hold(true);
    queue.forgetAnswered();
  });
  session.subscribe(() => {
    const { localId } = account();
    if (localId === null) return;
    if (localId !== owner) {
      if (owner !== null) queue.reset();
      owner = localId;
    }
    queue.hold(false);
  });
  queue.subscribe(() => {
    const isWorking = queue.snapshot().entries.some(({ state }) => !flagsOf(state).done);
    if (isWorking !== workInFlight.snapshot()) workInFlight.set(isWorking);
  });
  page.addEventListener('beforeunload', (event) => {
    const isKept = account().token !== null;
    const wouldBeLost = queue
      .snapshot()
      .entries.some(({ state: { kind } }) => kind === 'idle' || kind === 'uploading' || (kind === 'listening' && !isKept));
    if (wouldBeLost) event.preventDefault();
  });
}
