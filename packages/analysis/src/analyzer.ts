import type { EarlyDetection, Prediction, WordThresholds } from '@chiffchaff/contract';
import type { Evidence, PlaceAndWeek } from '@chiffchaff/recognizer';
import type { FormattedAnswer } from './answer/format-answer.ts';
import type { Question, Reconsideration } from './answer/question.ts';
import type { Species } from './species/open-species.ts';

/** What is done to the sound before it is analysed. */
export interface Preprocessing {
  /** The only channel that is analysed, counted from 1. Absent: all, mixed. */
  readonly channel?: number | undefined;
  /** Frequencies of the recording below are weakened, by 24 dB an octave. Hz */
  readonly minHz?: number | undefined;
  /** Frequencies of the recording above are weakened, by 24 dB an octave. Hz, less than half the model's sample rate divided by `speed` */
  readonly maxHz?: number | undefined;
  /** How fast it is played: 0.1 brings ten times lower what bats call. Times in the answer are the recording's own. Usually 1. */
  readonly speed?: number | undefined;
}

/** What a person or a program asks to be told about one recording. Absent values take the model's defaults. */
export interface AnalysisRequest extends Reconsideration {
  /** The recording on disk; it is only read. */
  readonly path: string;
  /** Shown in the answer, never trusted. */
  readonly fileName: string | null;
  /** Of the file's bytes, when the caller has hashed them already. */
  readonly sha256?: string;
  readonly overlapSeconds?: number;
  readonly preprocessing?: Preprocessing | undefined;
}

/** `fraction` is null while the recording's length is not known. */
export interface AnalysisProgress {
  readonly fraction: number | null;
  readonly analysedSeconds: number;
  /** What has been detected so far; no confidence is known yet. Call it at once or not at all, and not for every clip. */
  detectionsSoFar(): EarlyDetection[];
}

export interface AnalyzeOptions {
  readonly signal: AbortSignal;
  /** Whose recording it is, in words that mean nothing here: owners take turns at the model. Default: an owner of its own. */
  readonly owner?: string | undefined;
  readonly onProgress?: ((progress: AnalysisProgress) => void) | undefined;
  /** Where it is kept how far it has come: a later call with the same recording and path goes on there. */
  readonly checkpoint?:
    | {
        readonly path: string;
        /** Told after every ten minutes of the recording that need not be analysed again, and when it is cancelled later than that. */
        readonly onSaved?: (() => void) | undefined;
      }
    | undefined;
  /** Given what the model heard, just before the answer: with it, `reconsider` needs no audio. */
  readonly onEvidence?: (evidence: Evidence) => void;
  /** Concludes in another thread, as `Answerer.answer` does, and hands the evidence back. Where it gives null, that is done here. */
  readonly conclude?: (
    evidence: Evidence,
    question: Question,
  ) => Promise<{ readonly worded: FormattedAnswer; readonly evidence: Evidence }> | null;
}

/** A species that is expected at a place and week. */
export interface ExpectedSpecies {
  readonly scientificName: string;
  readonly commonName: string;
  readonly occurrence: number;
}

/** Analyses recordings in this process, with one model, one ffmpeg and one pool of workers, all loaded once. */
export interface Analyzer {
  readonly model: {
    readonly id: string;
    readonly version: string;
    readonly sha256: string;
    readonly licence: string;
    readonly attribution: string;
  };
  /** Lowest confidence of each word. */
  readonly words: WordThresholds;
  /** Codes of the languages that species names exist in. */
  readonly languages: readonly string[];
  /**
   * @throws PredictionError when the recording cannot be read or is out of limits
   * @throws ChannelMissing
   * @throws AbortError (DOMException) when the signal aborts; child process and work in flight are stopped then
   */
  analyze(request: AnalysisRequest, options: AnalyzeOptions): Promise<Prediction>;
  /** Works a prediction out again under other conditions, from the evidence of that recording. Id, date and recording stay. */
  reconsider(prediction: Prediction, evidence: Evidence, request: Reconsideration): Promise<Prediction>;
  /** What an `Answerer` in another thread needs to do that, with what the place tells. */
  ask(request: Reconsideration): Promise<Question>;
  /** Birds that are not rare at a place and week, or over the year in a time zone, the likeliest first; none where nothing is known. */
  expectedSpecies(
    where: ({ latitude: number; longitude: number; week?: number } | { timeZone: string }) & { language?: string },
  ): Promise<readonly ExpectedSpecies[]>;
  /**
   * How likely each label is at a place and week, or over the year in a time zone, in label order, one byte each (`occurrenceToByte`).
   * null: nothing is known of it.
   */
  occurrenceBytes(where: PlaceAndWeek | { readonly timeZone: string }): Promise<Uint8Array | null>;
  /** Where species live, one line a label: codes of countries or areas, separated by spaces; null where that is not known. */
  regions(): Promise<string | null>;
  /** Whether a place is assumed from that time zone. */
  canAssume(timeZone: string): Promise<boolean>;
  /** Common names in a language, by scientific name; English where the language has none. */
  namesIn(language: string): Promise<ReadonlyMap<string, string>>;
  /** What is known of single birds. */
  readonly species: Pick<Species, 'profile' | 'range' | 'season'>;
  close(): Promise<void>;
}
