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
