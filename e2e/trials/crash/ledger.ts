import type { Prediction } from '@chiffchaff/contract';

/**
 * What was asked of the server, and what it has acknowledged: the only thing that a crash is measured by.
 *
 * `asked`: sent, and no answer seen; both outcomes are right, as long as it is one of them. `kept`: acknowledged. `leaving`: its
 * deletion was sent, and no answer seen. `gone`: its deletion was acknowledged.
 */
export type Standing = 'asked' | 'kept' | 'leaving' | 'gone';

/** One recording that somebody sent, under one idempotency key. */
export interface Sent {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  standing: Standing;
  /** Somebody was told that it is being listened to: it may not be lost any more. */
  wasInWork: boolean;
  answer: Prediction | null;
}

export interface Person {
  readonly email: string;
  standing: Standing;
  token: string | null;
  readonly sent: Sent[];
}

export interface Ledger {
  readonly people: Person[];
  /** how often the server was killed, by what it was doing */
  readonly kills: { starting: number; working: number; migrating: number };
}

export const createLedger = (): Ledger => ({ people: [], kills: { starting: 0, working: 0, migrating: 0 } });

/** Counts for the report. */
export function countLedger({ people, kills }: Ledger) {
  const sent = people.flatMap((person) => person.sent);
  const count = (items: readonly { standing: Standing }[], standing: Standing) =>
    items.filter((item) => item.standing === standing).length;
  return {
    kills,
    accounts: { acknowledged: count(people, 'kept'), deleted: count(people, 'gone'), inDoubt: count(people, 'asked') },
    predictions: { acknowledged: count(sent, 'kept'), deleted: count(sent, 'gone'), inDoubt: count(sent, 'asked') },
  };
}
