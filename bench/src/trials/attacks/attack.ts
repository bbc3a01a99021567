/** What one client does to the others: run against a server of this machine, bounded in count and time. */
export type Attack = (options: AttackOptions) => Promise<AttackReport>;

export interface AttackOptions {
  /** Another checkout whose server is attacked, to compare versions. */
  readonly checkout: string | undefined;
  readonly say: (line: string) => void;
}

/** What was measured, with its units in the names. */
export interface AttackReport {
  /** What was not as promised. */
  readonly faults: readonly string[];
  readonly [figure: string]: unknown;
}
