/** The sender of a recording. */
export interface Sender {
  /** null without an account */
  readonly accountId: string | null;
  /** of the client's address (see `networkOf`); null when no longer known */
  readonly network: string | null;
}

/**
 * Whom something is counted for. The account comes first: one that is over its limit must not use up the limit of others at its address.
 */
export interface Owner {
  readonly by: 'account' | 'network';
  readonly key: string;
}

export function ownersOf({ accountId, network }: Sender): Owner[] {
  return [
    ...(accountId === null ? [] : [{ by: 'account', key: `account ${accountId}` } as const]),
    ...(network === null ? [] : [{ by: 'network', key: `network ${network}` } as const]),
  ];
}

/** Counts how many of something each owner has now. */
export function createTally() {
  /** Only owners that have any. */
  const counts = new Map<string, number>();
  const of = ({ key }: Owner): number => counts.get(key) ?? 0;

  return {
    of,
    /** Counts one more for each owner. @returns a function that undoes this, once */
    add(owners: readonly Owner[]): () => void {
      for (const owner of owners) counts.set(owner.key, of(owner) + 1);
      let isOff = false;
      return () => {
        if (isOff) return;
        isOff = true;
        for (const owner of owners) {
          if (of(owner) === 1) counts.delete(owner.key);
          else counts.set(owner.key, of(owner) - 1);
        }
      };
    },
  };
}
