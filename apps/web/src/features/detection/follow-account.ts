import type { AuthSession } from '../../platform/auth-session/auth-session.ts';
import type { PredictionJob } from './prediction-job.ts';
import { flagsOf } from './prediction-state.ts';

const followed = new WeakSet<PredictionJob>();

/**
 * Lets a prediction belong to the account that asked for it: signing out drops it, and another account never sees it. Work in flight
 * at expiry goes on; whoever signs in to the same account again finds its answer.
 *
 * Follows from the first call on, because the job outlives the screen.
 */
export function followAccount(job: PredictionJob, session: AuthSession): void {
  if (followed.has(job)) return;
  followed.add(job);
  let owner = session.snapshot().state.localId;
  session.onEnd((how) => {
    if (how !== 'expired' || !flagsOf(job.snapshot().state).loading) job.reset();
  });
  session.subscribe(() => {
    const { localId } = session.snapshot().state;
    if (localId === null || localId === owner) return;
    if (owner !== null) job.reset();
    owner = localId;
  });
}
