import { appendFileSync, readFileSync } from 'node:fs';
import type { Prediction } from '@chiffchaff/contract';

/** What a server has said, a line of JSON each, on disk before anything else is done. */
export type Said = {
  /** of the recording: the idempotency key that it was sent under */
  readonly key: string;
} & (
  | { readonly what: 'sent'; readonly email: string; readonly sound: string }
  /** It is being listened to: it may not be lost any more. */
  | { readonly what: 'accepted' }
  | { readonly what: 'answered'; readonly prediction: Prediction }
  | { readonly what: 'failed'; readonly code: string }
  | { readonly what: 'cancelling' }
  | { readonly what: 'cancelled' }
);

/** How a recording stands by what was said of it. */
export interface Standing {
  readonly key: string;
  readonly email: string;
  readonly sound: string;
  readonly accepted: boolean;
  /** every answer that was seen */
  readonly predictions: readonly Prediction[];
  readonly failure: string | null;
  /** `asked`: whether it was done is not known */
  readonly cancelled: 'no' | 'asked' | 'yes';
}

export interface Ledger {
  write(said: Said): void;
  /** Of every recording that was sent, as the file has it. */
  read(): readonly Standing[];
}

export function openLedger(path: string): Ledger {
  return {
    write: (said) => appendFileSync(path, `${JSON.stringify(said)}\n`, { flush: true }),
    read() {
      const standings = new Map<string, Standing>();
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
      for (const line of lines) {
        const said: Said = JSON.parse(line);
        const before = standings.get(said.key);
        if (said.what === 'sent') standings.set(said.key, { ...nothingYet, ...said });
        else if (before) standings.set(said.key, after(before, said));
      }
      return [...standings.values()];
    },
  };
}

const nothingYet = { accepted: false, predictions: [], failure: null, cancelled: 'no' } as const;

function after(before: Standing, said: Exclude<Said, { what: 'sent' }>): Standing {
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
