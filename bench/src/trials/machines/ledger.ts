import { appendFileSync, readFileSync } from 'node:fs';
import type { Prediction } from '@chiffchaff/contract';

/** What a server has said, one line of JSON each, written to disk before anything else happens. */
export type LedgerLine = {
  /** the idempotency key that the recording was sent under */
  readonly key: string;
} & (
  | { readonly what: 'sent'; readonly email: string; readonly sound: string }
  /** It is being analysed, so it must not be lost. */
  | { readonly what: 'accepted' }
  | { readonly what: 'answered'; readonly prediction: Prediction }
  | { readonly what: 'failed'; readonly code: string }
  | { readonly what: 'cancelling' }
  | { readonly what: 'cancelled' }
);

/** The state of a recording according to the ledger. */
export interface Standing {
  readonly key: string;
  readonly email: string;
  readonly sound: string;
  readonly accepted: boolean;
  /** every prediction that was received */
  readonly predictions: readonly Prediction[];
  readonly failure: string | null;
  /** `asked`: it is unknown whether it was done */
  readonly cancelled: 'no' | 'asked' | 'yes';
}

export interface Ledger {
  write(said: LedgerLine): void;
  /** The state of every recording sent, from the file. */
  read(): readonly Standing[];
}

export function openLedger(path: string): Ledger {
  return {
    write: (said) => appendFileSync(path, `${JSON.stringify(said)}\n`, { flush: true }),
    read() {
      const standings = new Map<string, Standing>();
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      for (const line of lines) {
        const said: LedgerLine = JSON.parse(line);
        const before = standings.get(said.key);
        if (said.what === 'sent') standings.set(said.key, { ...nothingYet, ...said });
        else if (before) standings.set(said.key, after(before, said));
      }
      return [...standings.values()];
    },
  };
}

const nothingYet = { accepted: false, predictions: [], failure: null, cancelled: 'no' } as const;

function after(before: Standing, said: Exclude<LedgerLine, { what: 'sent' }>): Standing {
  switch (said.what) {
    case 'accepted':
      return { ...before, accepted: true };
    case 'answered':
      return { ...before, predictions: [...before.predictions, said.prediction] };
    case 'failed':
      return { ...before, failure: said.code };
    case 'cancelling':
      return { ...before, cancelled: 'asked' };
    case 'cancelled':
      return { ...before, cancelled: 'yes' };
  }
}
