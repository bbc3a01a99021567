import type { EarlyDetection, Prediction, WordThresholds } from '@chiffchaff/contract';
import type { Evidence } from '@chiffchaff/recognizer';
import type { FormattedAnswer } from './format-answer.ts';
import type { Question } from './open-answerer.ts';

/** What can be asked of a recording again and again, without its audio. Absent values take the model's defaults. */
export interface Reconsideration {
  readonly latitude?: number;
  readonly longitude?: number;
  /** 1–48; absent means the whole year. Has no meaning without a place. */
  readonly week?: number;
  /** The day that `week` was told by, as `2026-05-01`; it is only passed on to the answer. */
  readonly date?: string;
  readonly minScore?: number;
  readonly language?: string;
  /** candidates kept */
  readonly top?: number;
  /** Detections that the answer holds at most: of more, the best of each species in each minute first. Absent means all. */
  readonly mostDetections?: number;
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
  readonly onProgress?: ((progress: AnalysisProgress) => void) | undefined;
  /** Where it is kept how far it has come: a later call with the same recording and path goes on there. */
  readonly checkpoint?:
    | {
        readonly path: string;
        /** Told after every ten minutes of the recording that need not be analysed again. */
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
   * @throws AbortError (DOMException) when the signal aborts; child process and work in flight are stopped then
   */
  analyze(request: AnalysisRequest, options: AnalyzeOptions): Promise<Prediction>;
  /** Works a prediction out again under other conditions, from the evidence of that recording. Id, date and recording stay. */
  reconsider(prediction: Prediction, evidence: Evidence, request: Reconsideration): Promise<Prediction>;
  /** What an `Answerer` in another thread needs to do that, with what the place tells. */
  ask(request: Reconsideration): Promise<Question>;
  /** Birds that are not rare at a place and week, the likeliest first. */
  expectedSpecies(place: {
    latitude: number;
    longitude: number;
    week?: number;
    language?: string;
  }): Promise<readonly ExpectedSpecies[]>;
  /** Common names in a language, by scientific name; English where the language has none. */
  namesIn(language: string): Promise<ReadonlyMap<string, string>>;
  close(): Promise<void>;
}
