/** Who sends. */
export interface Sender {
  /** null without a sign-in */
  readonly accountId: string | null;
  /** of the client's address (see `networkOf`); null where it is not known any more */
  readonly network: string | null;
}

/** To whom something counts: the account first, because one that is over its limit must not use up that of others at its address. */
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

/** How many of something each owner has at once. */
export function createTally() {
  /** Only those who have any. */
  const counts = new Map<string, number>();
  const of = ({ key }: Owner): number => counts.get(key) ?? 0;

  return {
    of,
    /** One more for each. @returns takes it off again, once */
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
