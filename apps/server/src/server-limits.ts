import { connectionLimits } from './http/limits/connections.ts';
import { drainLimits } from './http/limits/unread-body.ts';
import { arrivalPace } from './prediction/incoming/arrival-pace.ts';

/** Limits of time and amount that no installation changes. Tests shorten them. */
export const serverLimits = {
  connections: connectionLimits,
  /** of what a request still sends when it has been answered */
  drain: drainLimits,
  /** How fast a recording must arrive. */
  uploadPace: arrivalPace,
  /** time for bodies other than recordings, which are small: one that takes longer only holds a connection open */
  bodyMs: 30_000,
  /** between heartbeats in a stream of events */
  heartbeatMs: 15_000,
  /** How long a request waits for a picture, which takes three requests to fetch. */
  pictureMs: 8000,
  /** How long a deletion can be undone. */
  restorableMs: 60_000,
  /** How long a failed load of the model is believed before the next one. */
  recheckModelMs: 5000,
  /** recordings analysed concurrently for each analysis worker: a short one is not stuck behind a long one */
  jobsPerWorker: 2,
};
export type ServerLimits = Readonly<typeof serverLimits>;
