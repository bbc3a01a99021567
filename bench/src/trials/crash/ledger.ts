import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import type { Part } from './kill-part.ts';
import type { Sound } from './sounds.ts';

/**
 * What was asked of the server, and what it has acknowledged: the only thing that a crash is measured by.
 *
 * `asked`: sent, and no answer seen; both outcomes are right, as long as it is one of them. `kept`: acknowledged. `leaving`: its
 * deletion was sent, and no answer seen. `gone`: its deletion was acknowledged.
 */
export type Standing = 'asked' | 'kept' | 'leaving' | 'gone';

/** One recording that was sent under one idempotency key. */
export interface Sent {
  readonly key: string;
  readonly sound: Sound;
  readonly keepAudio: KeepAudio;
  /** null when it is sent as a form */
  readonly pieces: Pieces | null;
  standing: Standing;
  /** requests for it that are under way now … */
  flying: number;
  /** … and that were ever made */
  tries: number;
  /** The server has said that it is being analysed: it may not be lost any more. */
  wasInWork: boolean;
  answer: Prediction | null;
}

/** How far a recording has come that is sent in pieces. */
export interface Pieces {
  /** address of the upload, once it was acknowledged */
  path: string | null;
  /** bytes whose arrival was acknowledged */
  acknowledgedBytes: number;
  /** A prediction was asked about it, and may have taken it over. */
  wasNamed: boolean;
}

export interface Person {
  readonly email: string;
  standing: Standing;
  token: string | null;
  readonly sent: Sent[];
}

/** How often each was acknowledged. */
export interface Acknowledged {
  signUps: number;
  /** answers to recordings that were sent as a form … */
  predictions: number;
  /** … and to those that came in pieces */
  predictionsInPieces: number;
  /** the same request again, with the same answer */
  repeatedRequests: number;
  predictionsDeleted: number;
  accountsDeleted: number;
  /** Accounts that an older version had made, asked for after the migration of their folder was killed. */
  accountsMigrated: number;
  /** jobs that were neither answered nor lost when the server was killed, and answered by a later one */
  jobsTakenUp: number;
}

/** What may happen, and does not in every run. */
export interface Besides {
  workCancelled: number;
  /** Uploads that went on, after a crash, from where they were. */
  uploadsResumed: number;
  /** kept sound that was played at the end */
  soundsPlayed: number;
}

/** How often something was killed: the server, by what it was doing (migrations by what was found of them), or a part of one that lives on. */
export interface Kills extends Record<Part, number> {
  working: number;
  starting: number;
  beforeMigration: number;
  duringMigration: number;
  afterMigration: number;
}

/** What an answer says of the sound itself: whatever dies meanwhile, it is the same for the same sound. */
export type Heard = Pick<Prediction, 'recording' | 'detections'>;

export interface Ledger {
  readonly people: Person[];
  /** The first answer to each sound. */
  readonly heard: Map<Sound, Heard>;
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
    accountsMigrated: 0,
    jobsTakenUp: 0,
  },
  besides: { workCancelled: 0, uploadsResumed: 0, soundsPlayed: 0 },
  kills: {
    decoder: 0,
    analysis: 0,
    worker: 0,
    working: 0,
    starting: 0,
    beforeMigration: 0,
    duringMigration: 0,
    afterMigration: 0,
  },
});

/** How much has been acknowledged so far. */
export const sumOf = (counts: Acknowledged): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** How the people and their recordings stand. */
export function countStandings({ people }: Ledger) {
  const count = (items: readonly { standing: Standing }[]) => {
    const counts: Record<Standing, number> = { asked: 0, kept: 0, leaving: 0, gone: 0 };
    for (const { standing } of items) counts[standing] += 1;
    return counts;
  };
  return { accounts: count(people), recordings: count(people.flatMap(({ sent }) => sent)) };
}
