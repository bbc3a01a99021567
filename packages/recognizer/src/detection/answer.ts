/** The answer for one recording: a prediction of the contract without what only others know (names by language, the sentence). */
import type { TimeSpan } from './evidence/evidence.ts';

export type ConfidenceWord = 'veryLikely' | 'likely' | 'perhaps' | 'notSure' | 'none';
export type VerdictKind = 'identified' | 'several' | 'unsure' | 'noBird';

/** What the answer depends on besides the evidence. */
export interface AnswerConditions {
  /** How likely each label is at the place and week, in label order; null without a place. */
  readonly occurrence: Float32Array | null;
  /** The place is only assumed: it hides nothing, and leaves each species most of its confidence without a place. */
  readonly isAssumed?: boolean;
  /**
   * 1 where the label may be named, in label order; null: all birds. No confidence depends on it: a bird that is not asked for may be there all
   * the same.
   */
  readonly listed?: Uint8Array | null;
  /** A detection for every clip that holds a species; else neighbouring clips are one. */
  readonly perClip?: boolean;
  /** Lowest score of a detection, 0…1. Default: the manifest's. */
  readonly minScore?: number;
  /** candidates kept. Default 5. */
  readonly top?: number;
  /** Detections that the answer holds at most: of more, the best (`createChoice`). Default: all. */
  readonly mostDetections?: number;
  /** For unattended listening: only species that at least so many clips hold so clearly. See `STRICT_DETECTION`. */
  readonly strict?: StrictDetection | null;
}

export interface StrictDetection {
  readonly clips: number;
  readonly score: number;
}

/** A bird species that may have been heard. */
export interface AnswerCandidate {
  /** index in the species table */
  readonly label: number;
  readonly scientificName: string;
  /** 1 is the first */
  readonly rank: number;
  /** The model's own score, pooled over the recording; no place changes it. */
  readonly score: number;
  /** Calibrated, at the place when there is one; of a hidden candidate the one without the place. */
  readonly confidence: number;
  readonly confidenceWord: ConfidenceWord;
  readonly unusualHere: boolean;
  readonly occurrence: number | null;
  /** At an assumed place, whether it lives there; else null. */
  readonly assumed: 'here' | 'elsewhere' | null;
  /** The loudest clip of its best passage. */
  readonly best: TimeSpan;
}

/** A bird that the verdict names. */
export interface NamedCandidate extends AnswerCandidate {
  /** Where it is first heard well enough to be named: the loudest clip of that passage. */
  readonly firstSeconds: number;
}

export interface AnswerDetection extends TimeSpan {
  readonly label: number;
  readonly scientificName: string;
  readonly score: number;
  /** 0 when the place hides the species. */
  readonly confidence: number;
  /** So improbable at the place and week that it is set aside. */
  readonly hidden: boolean;
  readonly occurrence: number | null;
}

export interface AnswerOtherSound extends TimeSpan {
  readonly label: number;
  readonly scientificName: string;
  readonly score: number;
}

export interface AnswerVerdict {
  readonly kind: VerdictKind;
  readonly tied: boolean;
  /**
   * Every bird that is at least *perhaps* there, and what the sentence is about where that is less sure: in the order in which they are first
   * heard. Empty when nothing is recognised.
   */
  readonly named: readonly NamedCandidate[];
  readonly genus: string | null;
  readonly notExpectedHere: AnswerCandidate | null;
}

/** What the evidence adds to the check-up of a recording; `share` is the part of the recording concerned. */
export type AnswerCheckUp =
  | { readonly code: 'SILENT'; readonly share: number }
  | { readonly code: 'SPEECH_HEARD'; readonly share: number }
  /** A sound that is no living thing's (Engine, Dog, Siren …), by the model's own label. */
  | { readonly code: 'OTHER_SOUND_HEARD'; readonly share: number; readonly label: string };

export interface Answer {
  readonly verdict: AnswerVerdict;
  /** In ranking order: by confidence, then by score. None of a silent recording. */
  readonly candidates: readonly AnswerCandidate[];
  /** Silence, or a clear sound that is no bird's and no bird: the candidates are not worth proposing. */
  readonly isClearlyNoBird: boolean;
  /** By time, birds only. */
  readonly detections: readonly AnswerDetection[];
  /** How many there are besides, which `mostDetections` leaves out. */
  readonly detectionsLeftOut: number;
  readonly hiddenByLocation: readonly AnswerCandidate[];
  readonly otherSounds: readonly AnswerOtherSound[];
  readonly checkUp: readonly AnswerCheckUp[];
}
