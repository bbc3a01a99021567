import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import type { Part } from './kill-part.ts';
import type { Sound } from './sounds.ts';

/**
 * How an account or recording stands: what the server was asked to do, and what it has acknowledged. Crashes are judged only by this.
 *
 * `asked`: sent without a response yet; the server may or may not have done it, but not half of it. `kept`: acknowledged. `leaving`:
 * deletion sent without a response yet. `gone`: deletion acknowledged.
 */
export type Standing = 'asked' | 'kept' | 'leaving' | 'gone';

/** A recording sent under one idempotency key. */
export interface SentRecording {
  readonly key: string;
  readonly sound: Sound;
  readonly keepAudio: KeepAudio;
  /** null if it is sent as a form */
  readonly pieces: Pieces | null;
  standing: Standing;
  /** number of its requests in progress … */
  flying: number;
  /** … and of all requests ever made for it */
  tries: number;
  /** The server has reported that it is being analysed, so it must not be lost. */
  wasInWork: boolean;
  answer: Prediction | null;
}

/** How far a recording that is sent in pieces has come. */
export interface Pieces {
  /** path of the upload; null until it is acknowledged */
  path: string | null;
  /** number of acknowledged bytes */
  acknowledgedBytes: number;
  /** It was named in a request for a prediction, which may have taken it over. */
  wasNamed: boolean;
}

export interface Person {
  readonly email: string;
  standing: Standing;
  token: string | null;
  readonly sent: SentRecording[];
}

/** How often the server has acknowledged each. */
export interface Acknowledged {
  signUps: number;
  /** predictions for recordings sent as a form … */
  predictions: number;
  /** … and in pieces */
  predictionsInPieces: number;
  /** repeated requests that got the same prediction */
  repeatedRequests: number;
  predictionsDeleted: number;
  accountsDeleted: number;
  /** jobs that were in progress when the server was killed, and were finished by a later one */
  jobsTakenUp: number;
}

/** What may happen, but need not in every run. */
export interface Besides {
  workCancelled: number;
  /** Uploads that resumed after a crash. */
  uploadsResumed: number;
  /** kept recordings and excerpts that were played at the end */
  soundsPlayed: number;
}

/** How often something was killed: the server, by what it was doing, or a part of a server that lives on. */
export interface Kills extends Record<Part, number> {
  working: number;
  starting: number;
}

/** What a prediction says about the audio itself, which must be the same for the same recording, whatever dies meanwhile. */
export type CheckedAnswer = Pick<Prediction, 'recording' | 'detections'>;

export interface Ledger {
  readonly people: Person[];
  /** The first prediction for each recording. */
  readonly heard: Map<Sound, CheckedAnswer>;
  readonly acknowledged: Acknowledged;
  readonly besides: Besides;
  readonly kills: Kills;
}

export const createLedger = (): Ledger => ({
  people: [],
  heard: new Map(),
  acknowledged: {
    signUps: 0,
    predictions: 0,
    predictionsInPieces: 0,
    repeatedRequests: 0,
    predictionsDeleted: 0,
    accountsDeleted: 0,
    jobsTakenUp: 0,
  },
  besides: { workCancelled: 0, uploadsResumed: 0, soundsPlayed: 0 },
  kills: {
    decoder: 0,
    analysis: 0,
    worker: 0,
    working: 0,
    starting: 0,
  },
});

/** The total of all acknowledgements so far. */
export const sumOf = (counts: Acknowledged): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Counts the accounts and recordings by standing. */
export function countStandings({ people }: Ledger) {
  const count = (items: readonly { standing: Standing }[]) => {
    const counts: Record<Standing, number> = { asked: 0, kept: 0, leaving: 0, gone: 0 };
    for (const { standing } of items) counts[standing] += 1;
    return counts;
  };
  return { accounts: count(people), recordings: count(people.flatMap(({ sent }) => sent)) };
}
