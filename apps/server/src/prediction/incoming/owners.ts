/** The sender of a recording. */
export interface Sender {
  /** null without an account */
  readonly accountId: string | null;
  /** the API token that was sent; absent or null without one */
  readonly apiTokenId?: string | null;
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

/** All senders together, for what is limited in total. */
export const EVERYONE = { by: 'everyone', key: 'everyone' } as const;

export type Counted = Owner | typeof EVERYONE;

/** Counts how many of something each owner has now. Each of them is known by the list that it is counted for. */
export function createTally() {
  /** Only owners that have any. */
  const held = new Map<string, Set<readonly Counted[]>>();

  return {
    of: ({ key }: Counted): number => held.get(key)?.size ?? 0,
    add(owners: readonly Counted[]): void {
      for (const { key } of owners) held.set(key, (held.get(key) ?? new Set()).add(owners));
    },
    remove(owners: readonly Counted[]): void {
      for (const { key } of owners) {
        held.get(key)?.delete(owners);
        if (held.get(key)?.size === 0) held.delete(key);
      }
    },
  };
}
