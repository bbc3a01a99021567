import type { AuthSession } from '../../../platform/session/auth-session.ts';
import type { PredictionQueue } from './prediction-queue.ts';

const followed = new WeakSet<PredictionQueue>();

/**
 * Lets predictions belong to the account that asked for them: signing out drops them, and another account never sees them. Work in
 * flight at expiry goes on, what waits is sent when the same account has signed in again; whoever does finds both.
 *
 * Follows from the first call on, because the queue outlives the screen.
 */
export function followAccount(queue: PredictionQueue, session: AuthSession): void {
  if (followed.has(queue)) return;
  followed.add(queue);
  let owner = session.snapshot().state.localId;
  session.onEnd((how) => {
    if (how !== 'expired') {
      queue.reset();
      return;
    }
    queue.hold(true);
    queue.forgetAnswered();
  });
  session.subscribe(() => {
    const { localId } = session.snapshot().state;
    if (localId === null) return;
    if (localId !== owner) {
      if (owner !== null) queue.reset();
      owner = localId;
    }
    queue.hold(false);
  });
}
