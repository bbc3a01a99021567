import type { EarlyDetection, Prediction, WordThresholds } from '@chiffchaff/contract';
import type { Evidence, PlaceAndWeek } from '@chiffchaff/recognizer';
import type { Answerer } from './answer/answerer.ts';
import type { FormattedAnswer } from './answer/format-answer.ts';
import type { Question, Reconsideration } from './answer/question.ts';
import type { ModelNames } from './species/open-names.ts';
import type { Species } from './species/open-species.ts';

/** How the audio is processed before the analysis. */
export interface Preprocessing {
  /** The only channel to analyse, counted from 1. Absent: all channels, mixed. */
  readonly channel?: number | undefined;
  /** High-pass cutoff in Hz, in terms of the recording; 24 dB an octave. */
  readonly minHz?: number | undefined;
  /** Low-pass cutoff in Hz, in terms of the recording; 24 dB an octave. Less than half the model's sample rate divided by `speed`. */
  readonly maxHz?: number | undefined;
  /** Playback speed; usually 1. 0.1 lowers bat calls to a tenth of their frequency. Times in the answer are the recording's own. */
  readonly speed?: number | undefined;
}

/** A request to analyse one recording. Absent values take the model's defaults. */
export interface AnalysisRequest extends Reconsideration {
  /** The recording on disk; opened for reading only. */
  readonly path: string;
  /** Repeated in the answer; never trusted. */
  readonly fileName: string | null;
  /** Hash of the file, if the caller has computed it. */
  readonly sha256?: string;
  readonly overlapSeconds?: number;
  readonly preprocessing?: Preprocessing | undefined;
}

/** `fraction` is null while the length of the recording is unknown. */
export interface AnalysisProgress {
  readonly fraction: number | null;
  readonly analysedSeconds: number;
  /** Detections so far, with the words of their birds but without confidence. Call it only within `onProgress`, and not for every clip: the list can be long. */
  detectionsSoFar(): EarlyDetection[];
}

export interface AnalyzeOptions {
  readonly signal: AbortSignal;
  /** Opaque id of the owner; owners take turns at the model. Default: a new owner for each call. */
  readonly owner?: string | undefined;
  readonly onProgress?: ((progress: AnalysisProgress) => void) | undefined;
  /** Where progress is saved: a later call with the same recording and path resumes there. */
  readonly checkpoint?:
    | {
        readonly path: string;
        /**
         * Called after each checkpoint: one every ten minutes of the recording, and one on cancellation if there is progress since the
         * last.
         */
        readonly onSaved?: (() => void) | undefined;
      }
    | undefined;
  /** Receives the evidence just before the answer; with it, `reconsider` needs no audio. */
  readonly onEvidence?: (evidence: Evidence) => void;
  /** Receives the overview of a recording that is not a short one, just before the answer. */
  readonly onOverview?: (levels: Uint8Array) => void;
  /** Concludes in another thread, as `Answerer.answer` does, and returns the evidence. Returns null to have it done in this thread. */
  readonly conclude?: (
    evidence: Evidence,
    question: Question,
  ) => Promise<{ readonly worded: FormattedAnswer; readonly evidence: Evidence }> | null;
}

/** A species expected at a place and week. */
export interface ExpectedSpecies {
  readonly scientificName: string;
  readonly commonName: string;
  readonly occurrence: number;
}

/**
 * Analyses recordings in this process, with one model, one ffmpeg and one pool of workers, all loaded once. Knows names in all languages,
 * profiles, ranges and seasons of single birds, and the birds around a place, too.
 */
export interface Analyzer extends ModelNames, Omit<Species, 'close'> {
  readonly model: {
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly licence: string;
    readonly attribution: string;
  };
  /** one hash for everything that decides the model's answers, as `fingerprintOf` */
  readonly fingerprint: string;
  /** Lowest confidence of each word. */
  readonly words: WordThresholds;
  /**
   * @throws PredictionError when the recording cannot be read or is out of limits
   * @throws ChannelMissing
   * @throws AbortError (DOMException) when the signal aborts; stops the child process and the clips in flight
   */
  analyze(request: AnalysisRequest, options: AnalyzeOptions): Promise<Prediction>;
  /** What an `Answerer`, this one or one in another thread, needs to answer a request, including the occurrence at the place. */
  ask(request: Reconsideration): Promise<Question>;
  /** Concludes from the evidence of recordings, without their audio. */
  readonly answerer: Answerer;
  /** Birds that are not rare at a place and week, or over the year in a time zone, most likely first; empty where nothing is known. */
  expectedSpecies(
    where: ({ latitude: number; longitude: number; week?: number } | { timeZone: string }) & { language?: string },
  ): Promise<readonly ExpectedSpecies[]>;
  /**
   * How likely each label is at a place and week, or over the year in a time zone: one byte a label (`occurrenceToByte`), in label order.
   * null where nothing is known.
   */
  occurrenceBytes(where: PlaceAndWeek | { readonly timeZone: string }): Promise<Uint8Array | null>;
  /** Where species live, one line a label: codes of countries or areas, separated by spaces. null where unknown. */
  regions(): Promise<string | null>;
  /** How likely species are in each time zone: one byte a label, zone by zone. null where unknown. */
  zones(): Promise<Uint8Array | null>;
  /** Whether that time zone gives an assumed place. */
  canAssume(timeZone: string): Promise<boolean>;
  close(): Promise<void>;
}
