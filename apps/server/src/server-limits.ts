import { type ConnectionLimits, connectionLimits } from './http/limits/connections.ts';
import { type DrainLimits, drainLimits } from './http/limits/unread-body.ts';
import { type ArrivalPace, arrivalPace } from './prediction/incoming/arrival-pace.ts';

/** Limits of time and amount that no installation changes. Tests shorten them. */
export interface ServerLimits {
  readonly connections: ConnectionLimits;
  /** of what a request still sends when it has been answered */
  readonly drain: DrainLimits;
  /** How fast a recording must arrive. */
  readonly uploadPace: ArrivalPace;
  /** time for bodies other than recordings, which are small: one that takes longer only holds a connection open */
  readonly bodyMs: number;
  /** between heartbeats in a stream of events */
  readonly heartbeatMs: number;
  /** How long a request waits for a picture, which takes three requests to fetch. */
  readonly pictureMs: number;
  /** How long a deletion can be undone. */
  readonly restorableMs: number;
  /** How long a failed load of the model is believed before the next one. */
  readonly recheckModelMs: number;
  /** recordings analysed concurrently for each analysis worker: a short one is not stuck behind a long one */
  readonly jobsPerWorker: number;
}

export const serverLimits: ServerLimits = {
  connections: connectionLimits,
  drain: drainLimits,
  uploadPace: arrivalPace,
  bodyMs: 30_000,
  heartbeatMs: 15_000,
  pictureMs: 8000,
  restorableMs: 60_000,
  recheckModelMs: 5000,
  jobsPerWorker: 2,
};
