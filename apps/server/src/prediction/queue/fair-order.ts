/** A job that waits. */
export interface Waiting {
  /** null without an account: such a job takes no turn but its own */
  readonly accountId: string | null;
  readonly createdAtMs: number;
}

/**
 * Which job is next, so that an account that sends many does not hold up the others: a job waits since it came, or since its account last
 * had a turn, and the one that waits longest is first.
 */
export function createFairOrder() {
  const lastTurnMs = new Map<string, number>();
  const since = ({ accountId, createdAtMs }: Waiting): number =>
    Math.max(createdAtMs, (accountId === null ? undefined : lastTurnMs.get(accountId)) ?? 0);

  return {
    /** @param waiting all jobs that wait, the oldest first @returns them, the next one first */
    order<Job extends Waiting>(waiting: readonly Job[]): readonly Job[] {
      const oldestMs = waiting[0]?.createdAtMs ?? Number.POSITIVE_INFINITY;
      // A turn from before all that waits changes no order.
      for (const [accountId, atMs] of lastTurnMs) if (atMs < oldestMs) lastTurnMs.delete(accountId);
      // Sorting is stable: what is equal stays in the order of its coming.
      return waiting.toSorted((one, other) => since(one) - since(other));
    },
    /** An account has had a turn. */
    note(accountId: string | null, atMs: number): void {
      if (accountId !== null) lastTurnMs.set(accountId, atMs);
    },
  };
}
