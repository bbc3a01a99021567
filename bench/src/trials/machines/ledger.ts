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
  /** Not about its state: for those who look for the cause of a fault. */
  | { readonly what: 'asking'; readonly method: 'POST' | 'DELETE'; readonly origin: string }
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
  /** What is known of the recordings whose keys a text mentions, in order and with times, without the predictions themselves. */
  linesAbout(text: string): readonly string[];
}

export function openLedger(path: string): Ledger {
  const readLines = (): (LedgerLine & { readonly at: string })[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    write: (said) => appendFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), ...said })}\n`, { flush: true }),
    read() {
      const standings = new Map<string, Standing>();
      for (const said of readLines()) {
        const before = standings.get(said.key);
        if (said.what === 'sent') standings.set(said.key, { ...nothingYet, ...said });
        else if (before) standings.set(said.key, after(before, said));
      }
      return [...standings.values()];
    },
    linesAbout: (text) =>
      readLines()
        .filter(({ key }) => text.includes(key))
        .map((said) => JSON.stringify(said.what === 'answered' ? { ...said, prediction: said.prediction.id } : said)),
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
    case 'asking':
      return before;
  }
}
