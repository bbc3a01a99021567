/** A waiting job. */
export interface WaitingJob {
  /** null without an account: its turns are not counted */
  readonly accountId: string | null;
  readonly createdAtMs: number;
}

/**
 * Orders waiting jobs so that an account that sends many does not hold up the others. Jobs whose owner has the fewest running come first;
 * among these, the one that has waited longest since it arrived or since its account last had a turn.
 */
export function createFairOrder() {
  const lastTurnMs = new Map<string, number>();
  const since = ({ accountId, createdAtMs }: WaitingJob): number =>
    Math.max(createdAtMs, (accountId === null ? undefined : lastTurnMs.get(accountId)) ?? 0);

  return {
    /**
     * @param waiting all waiting jobs; equal ones stay in this order
     * @param heldBy how many jobs of the same owner are running
     * @returns the jobs, the next one first
     */
    order<Job extends WaitingJob>(waiting: readonly Job[], heldBy: (job: Job) => number = () => 0): readonly Job[] {
      const oldestMs = waiting.reduce((oldest, { createdAtMs }) => Math.min(oldest, createdAtMs), Number.POSITIVE_INFINITY);
      // A turn older than every waiting job no longer affects the order.
      for (const [accountId, atMs] of lastTurnMs) if (atMs < oldestMs) lastTurnMs.delete(accountId);
      const known = waiting.map((job) => ({ job, held: heldBy(job), sinceMs: since(job) }));
      return known.sort((one, other) => one.held - other.held || one.sinceMs - other.sinceMs).map(({ job }) => job);
    },
    /** Notes that an account has had a turn. */
    note(accountId: string | null, atMs: number): void {
      if (accountId !== null) lastTurnMs.set(accountId, atMs);
    },
  };
}
