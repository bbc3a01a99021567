/** The answer for one recording: a prediction of the API contract without what other packages add (names by language, the sentence). */
import type { LabelKind } from '../model/labels.ts';
import type { TimeSpan } from './evidence/evidence.ts';

export type ConfidenceWord = 'veryLikely' | 'likely' | 'perhaps' | 'notSure' | 'none';
export type VerdictKind = 'identified' | 'several' | 'unsure' | 'noBird';

/** What the answer depends on besides the evidence. */
export interface AnswerConditions {
  /** How likely each label is at the place and week, in label order; null without a place. */
  readonly occurrence: Float32Array | null;
  /** The place is only assumed: it leaves each species most of its confidence without a place, and hides detections alone. */
  readonly isAssumed?: boolean;
  /** Where species live (see `sharedRanges`): tells which birds may be heard together when the place is not known. */
  readonly zones?: Uint8Array | null;
  /**
   * 1 for each label that may be named, in label order; null for all birds. Confidences do not depend on it: an unlisted bird may
   * still be there.
   */
  readonly listed?: Uint8Array | null;
  /** One detection per clip that holds a species, instead of merging neighbouring clips. */
  readonly perClip?: boolean;
  /** Whether the detections have what is no bird (frogs, engines, voices …) as well. */
  readonly sounds?: boolean;
  /** Lowest score of a detection, 0…1. Default: the manifest's. */
  readonly minScore?: number;
  /** Number of candidates kept. Default 5. */
  readonly top?: number;
  /** Most detections in the answer; if there are more, the best (`createChoice`). Default: all. */
  readonly mostDetections?: number;
}

/** A bird species that may have been heard. */
export interface AnswerCandidate {
  /** index in the species table */
  readonly label: number;
  readonly scientificName: string;
  /** 1 is the first */
  readonly rank: number;
  /** The model's own score, pooled over the recording; independent of the place. */
  readonly score: number;
  /** Calibrated, at the place if there is one. A hidden candidate has its confidence without the place. */
  readonly confidence: number;
  readonly confidenceWord: ConfidenceWord;
  readonly unusualHere: boolean;
  readonly occurrence: number | null;
  /** Whether it lives at the assumed place; null if the place is not assumed. */
  readonly assumed: 'here' | 'elsewhere' | null;
  /** The loudest clip of its best passage. */
  readonly best: TimeSpan;
}

/** A bird that the verdict names. */
export interface NamedCandidate extends AnswerCandidate {
  /** Start of the loudest clip in the first passage that makes it *perhaps* there, or in its best passage if none does. */
  readonly firstSeconds: number;
}

export interface AnswerDetection extends TimeSpan {
  readonly label: number;
  readonly scientificName: string;
  /** Absent for a bird. */
  readonly kind?: Exclude<LabelKind, 'bird'>;
  readonly score: number;
  /** 0 if a stated place hides the species, and for what is no bird. */
  readonly confidence: number;
  /** Too unlikely at the place and week to be shown; at an assumed place, a bird from elsewhere. */
  readonly hidden: boolean;
  readonly occurrence: number | null;
}

export type AnswerOtherSound = TimeSpan & Pick<AnswerDetection, 'label' | 'scientificName' | 'score'>;

/** Another bird that a passage sounds like. */
export interface SimilarBird {
  readonly label: number;
  /** in that passage */
  readonly confidence: number;
  /** its loudest clip of that passage */
  readonly best: TimeSpan;
}

export interface AnswerVerdict {
  readonly kind: VerdictKind;
  readonly tied: boolean;
  /**
   * Every bird that is at least *perhaps* there, and the less certain ones that the sentence is about, in the order in which they
   * are first heard. Empty if no bird is recognised. A bird from elsewhere is at most the one of the sentence, which asks about it.
   */
  readonly named: readonly NamedCandidate[];
  readonly genus: string | null;
  readonly notExpectedHere: AnswerCandidate | null;
  /** What the best passage of the first bird sounds like next, of the birds that are not named; null if nothing comes close. */
  readonly alsoSoundsLike: SimilarBird | null;
}

/** A finding of the check-up that comes from the evidence; `share` is the affected part of the recording. */
export type AnswerCheckUp =
  | { readonly code: 'SILENT'; readonly share: number }
  /** Nothing but hiss, hum or a recorder's own noise. */
  | { readonly code: 'STEADY_NOISE'; readonly share: number }
  | { readonly code: 'SPEECH_HEARD'; readonly share: number }
  /** A sound with a label of its own instead of a species (Engine, Dog, Siren …). */
  | { readonly code: 'OTHER_SOUND_HEARD'; readonly share: number; readonly label: string };

export interface Answer {
  readonly verdict: AnswerVerdict;
  /** Ranked by confidence, then by score; birds from elsewhere as in `rankBirds`. Empty for a silent recording. */
  readonly candidates: readonly AnswerCandidate[];
  /** The recording is silent or only steady noise, or has a clear other sound and no bird: the candidates are not worth proposing. */
  readonly isClearlyNoBird: boolean;
  /** By time; birds only, unless `sounds`. */
  readonly detections: readonly AnswerDetection[];
  /** Number of detections left out because of `mostDetections`. */
  readonly detectionsLeftOut: number;
  readonly hiddenByLocation: readonly AnswerCandidate[];
  readonly otherSounds: readonly AnswerOtherSound[];
  readonly checkUp: readonly AnswerCheckUp[];
}
