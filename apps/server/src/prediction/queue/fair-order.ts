/** A job that waits. */
export interface Waiting {
  /** null without an account: such a job takes no turn but its own */
  readonly accountId: string | null;
  readonly createdAtMs: number;
}

/**
 * Which job is next, so that an account that sends many does not hold up the others: first those whose owner has fewest analysed already; of
 * these the one that has waited longest since it came, or since its account last had a turn.
 */
export function createFairOrder() {
  const lastTurnMs = new Map<string, number>();
  const since = ({ accountId, createdAtMs }: Waiting): number =>
    Math.max(createdAtMs, (accountId === null ? undefined : lastTurnMs.get(accountId)) ?? 0);

  return {
    /**
     * @param waiting all jobs that wait; what is equal stays in this order
     * @param heldBy how many jobs of its owner are analysed beside it
     * @returns them, the next one first
     */
    order<Job extends Waiting>(waiting: readonly Job[], heldBy: (job: Job) => number = () => 0): readonly Job[] {
      const oldestMs = waiting.reduce((oldest, { createdAtMs }) => Math.min(oldest, createdAtMs), Number.POSITIVE_INFINITY);
      // A turn from before all that waits changes no order.
      for (const [accountId, atMs] of lastTurnMs) if (atMs < oldestMs) lastTurnMs.delete(accountId);
      const known = waiting.map((job) => ({ job, held: heldBy(job), sinceMs: since(job) }));
      return known.sort((one, other) => one.held - other.held || one.sinceMs - other.sinceMs).map(({ job }) => job);
    },
    /** An account has had a turn. */
    note(accountId: string | null, atMs: number): void {
      if (accountId !== null) lastTurnMs.set(accountId, atMs);
    },
  };
}
