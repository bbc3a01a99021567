/** Measures what one client can do to the others, with a bounded number of requests and time, against a local server. */
export type Attack = (options: AttackOptions) => Promise<AttackReport>;

export interface AttackOptions {
  /** Another checkout whose server is attacked, to compare versions. */
  readonly checkout: string | undefined;
  readonly say: (line: string) => void;
}

/** The measurements, with their units in the names. */
export interface AttackReport {
  /** What was not as it should be. */
  readonly faults: readonly string[];
  readonly [figure: string]: unknown;
}
