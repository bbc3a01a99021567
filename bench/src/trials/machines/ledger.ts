/**
 * What people have asked of servers and what these have acknowledged. Whatever dies or breaks is judged by this alone: `people.ts` writes
 * it, and `verify.ts` compares it with what servers answer afterwards.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import type { SignedIn } from '../../harness/api.ts';
import type { Sound } from '../../harness/recordings.ts';

/**
 * `asked`: sent without a response yet; the server may or may not have done it, but not half of it. `kept`: acknowledged. `leaving`:
 * deletion sent without a response yet. `gone`: deletion acknowledged.
 */
export type Standing = 'asked' | 'kept' | 'leaving' | 'gone';

/** A recording sent under one idempotency key. */
export interface SentRecording {
  readonly key: string;
  readonly sound: Sound;
  readonly keepAudio: KeepAudio;
  /** How far it has come if it is sent in pieces; null if it is sent as a form. */
  readonly pieces: Pieces | null;
  standing: Standing;
  /** number of its requests in progress */
  flying: number;
  /** The server has reported that it is being analysed, so it must not be lost. */
  wasInWork: boolean;
  answer: Prediction | null;
  /** SHA-256 of the kept audio, once it has been played. */
  soundHash: string | null;
  /** Resolves when a deletion that has begun is acknowledged or has failed. */
  removing: Promise<unknown> | null;
}

export interface Pieces {
  /** null until it is acknowledged */
  path: string | null;
  acknowledgedBytes: number;
  /** A request for a prediction has named it, and may have taken it over. */
  wasNamed: boolean;
}

export interface Account extends SignedIn {
  standing: Standing;
  readonly sent: SentRecording[];
}

/** How often each was acknowledged, or happened. */
const nothing = {
  signUps: 0,
  /** predictions for recordings sent as a form … */
  predictions: 0,
  /** … and in pieces */
  predictionsInPieces: 0,
  /** repeated requests that got the same prediction */
  repeatedRequests: 0,
  predictionsDeleted: 0,
  accountsDeleted: 0,
  /** jobs that were in progress when their sender lost the connection, and were finished nevertheless */
  jobsTakenUp: 0,
  workCancelled: 0,
  uploadsResumed: 0,
  /** predictions that a stream of events has brought */
  followed: 0,
  /** recordings and excerpts that were played when everything was verified */
  soundsPlayed: 0,
  /** requests that were repeated because the server was busy … */
  busy: 0,
  /** … or the connection had broken */
  broken: 0,
};
export type Counts = typeof nothing;

export type Ledger = ReturnType<typeof createLedger>;

/** A response that servers must never give, whatever has died or broken. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
  readonly status: number;

  constructor(message: string, status = 200) {
    super(message);
    this.status = status;
  }
}

export function createLedger() {
  const accounts: Account[] = [];
  /** What the first prediction for each recording says about the audio itself, which is the same whatever dies meanwhile. */
  const heard = new Map<Sound, Pick<Prediction, 'recording' | 'detections'>>();
  const count = (items: readonly { readonly standing: Standing }[]): Record<Standing, number> => {
    const of = (wanted: Standing): number => items.filter(({ standing }) => standing === wanted).length;
    return { asked: of('asked'), kept: of('kept'), leaving: of('leaving'), gone: of('gone') };
  };
  return {
    accounts,
    counts: { ...nothing },
    /** Files a prediction that the server has sent. @throws WrongAnswer when it contradicts an earlier one */
    receive(sent: SentRecording, prediction: Prediction): void {
      if (sent.answer !== null && !isDeepStrictEqual(sent.answer, prediction))
        throw new WrongAnswer(`${sent.key} was answered in two ways: ${JSON.stringify([sent.answer, prediction])}`);
      const { recording, detections } = prediction;
      const first = heard.get(sent.sound) ?? { recording, detections };
      heard.set(sent.sound, first);
      if (!isDeepStrictEqual(first, { recording, detections }))
        throw new WrongAnswer(`${sent.sound.name} was heard in two ways: ${JSON.stringify([first, { recording, detections }])}`);
      sent.answer = prediction;
      if (sent.standing === 'asked') sent.standing = 'kept';
    },
    /** Numbers of accounts and recordings by standing. */
    standings: () => ({ accounts: count(accounts), recordings: count(accounts.flatMap(({ sent }) => sent)) }),
  };
}
