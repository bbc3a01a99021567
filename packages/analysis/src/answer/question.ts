import type { Conditions, PlaceSource, Prediction, Recording } from '@chiffchaff/contract';
import { DEFAULT_TOP, type ModelManifest, type PlaceAndWeek, type SoundFinding } from '@chiffchaff/recognizer';
import { type FormattedAnswer, round, roundShare } from './format-answer.ts';
import { DEFAULT_LANGUAGE } from './name-labels.ts';

/** What can be asked of a recording again and again, without its audio. Absent values take the model's defaults. */
export interface Reconsideration {
  readonly latitude?: number;
  readonly longitude?: number;
  /** Who says the coordinates; the person when absent. */
  readonly placeSource?: 'stated' | 'file' | undefined;
  /** Without coordinates, a place is assumed from this IANA time zone; from a name that is not known, nothing. */
  readonly timeZone?: string | undefined;
  /** 1–48; absent means the whole year. Has no meaning without coordinates. */
  readonly week?: number;
  /** The day that `week` was told by, as `2026-05-01`; it is only passed on to the answer. */
  readonly date?: string;
  /** Birds that may be named, by the model's scientific names. Absent: all. */
  readonly species?: readonly string[] | undefined;
  /** Birds that are at least so likely at the place may be named, 0…1. Has no meaning without one. */
  readonly minOccurrence?: number | undefined;
  /** A detection for every clip that holds a species; else neighbouring clips are one. */
  readonly perClip?: boolean | undefined;
  readonly minScore?: number;
  readonly language?: string;
  /** candidates kept */
  readonly top?: number;
  /** Detections that the answer holds at most: of more, the best of each species in each minute first. Absent means all. */
  readonly mostDetections?: number;
}

/** What is asked of evidence, with all that it takes to answer; it can be sent to another thread. */
export interface Question {
  readonly conditions: Conditions;
  /** How likely each label is at the place and week, in label order; null without a place. */
  readonly occurrence: Float32Array | null;
  /** 1 where the label may be named, in label order; absent or null: all birds. */
  readonly listed?: Uint8Array | null;
  /** See `Reconsideration`. */
  readonly perClip?: boolean;
  /** Where species live, one line a label: see `ZoneTable`; null where that is not told. */
  readonly regions: string | null;
  /** candidates kept */
  readonly top: number;
  /** Detections that the answer holds at most; of more, the best. */
  readonly mostDetections: number;
}

/** What is known of a time zone. */
export interface AssumedPlace {
  /** present IANA name */
  readonly timeZone: string;
  /** How likely each label is there over the year, in label order. */
  readonly occurrence: Float32Array;
}

/** Asked for what a question needs besides itself. */
export interface PlaceKnowledge {
  /** null where the model knows nothing of places */
  occurrenceAt(place: PlaceAndWeek): Promise<Float32Array | null>;
  /** null: nothing is assumed from that time zone */
  assume(timeZone: string): Promise<AssumedPlace | null>;
  /** See `Question`. */
  regions(): Promise<string | null>;
}

const clipSecondsOf = ({ audio }: ModelManifest): number => audio.clipSamples / audio.sampleRate;

/** seconds that clips share where nothing else is asked */
export const usualOverlapSeconds = (manifest: ModelManifest): number =>
  clipSecondsOf(manifest) - manifest.defaults.clipStepSeconds;

/** The conditions of a request but where its place comes from. @param overlapSeconds that clips share */
function readConditions(manifest: ModelManifest, request: Reconsideration, overlapSeconds: number): Conditions {
  const { latitude, longitude } = request;
  const hasPlace = latitude !== undefined && longitude !== undefined;
  return {
    latitude: hasPlace ? latitude : null,
    longitude: hasPlace ? longitude : null,
    week: request.week ?? null,
    date: request.date ?? null,
    minScore: request.minScore ?? manifest.defaults.minScore,
    overlapSeconds: round(overlapSeconds),
    language: request.language ?? DEFAULT_LANGUAGE,
  };
}

/** What is known of the place: told, else assumed, else nothing. */
async function findPlace(
  { latitude, longitude, week }: Conditions,
  { placeSource = 'stated', timeZone }: Reconsideration,
  knowledge: PlaceKnowledge,
): Promise<{ placeSource: PlaceSource; timeZone: string | null; occurrence: Float32Array | null }> {
  if (latitude !== null && longitude !== null) {
    return { placeSource, timeZone: null, occurrence: await knowledge.occurrenceAt({ latitude, longitude, week }) };
  }
  const assumed = timeZone === undefined ? null : await knowledge.assume(timeZone);
  return assumed ? { placeSource: 'assumed', ...assumed } : { placeSource: 'none', timeZone: null, occurrence: null };
}

/**
 * Everything that it takes to answer a request.
 *
 * @param overlapSeconds that clips share; the model's own when absent
 * @throws what is thrown by what is asked for the place
 */
export async function questionOf(
  manifest: ModelManifest,
  request: Reconsideration,
  knowledge: PlaceKnowledge,
  overlapSeconds: number = usualOverlapSeconds(manifest),
): Promise<Question> {
  const { top = DEFAULT_TOP, mostDetections = Number.POSITIVE_INFINITY } = request;
  const conditions = readConditions(manifest, request, overlapSeconds);
  const [regions, { occurrence, ...source }] = await Promise.all([
    knowledge.regions(),
    findPlace(conditions, request, knowledge),
  ]);
  const question = { conditions: { ...conditions, ...source }, occurrence, regions, top, mostDetections };
  return request.perClip ? { ...question, perClip: true } : question;
}

/** A model as answers name it. */
export function modelOf({ id, version, audio, licence, attribution }: ModelManifest): Prediction['model'] {
  return { id, version, sha256: audio.sha256, licence, attribution };
}

/** What an answer is put together from. */
interface PredictionParts extends Pick<Prediction, 'id' | 'createdAt' | 'model' | 'timings'> {
  readonly recording: Recording;
  /** The part that is missing of a recording that ended early; 0 when that is not known. */
  readonly missingShare: number;
  readonly question: Question;
  readonly soundFindings: readonly SoundFinding[];
  readonly worded: FormattedAnswer;
}

/** The answer for one recording. */
export function predictionOf(parts: PredictionParts): Prediction {
  const { recording, missingShare, question, soundFindings, worded, ...rest } = parts;
  const endedEarly = { code: 'ENDED_EARLY', share: round(missingShare) } as const;
  return {
    ...rest,
    recording: { ...recording, durationSeconds: round(recording.durationSeconds) },
    conditions: question.conditions,
    ...worded,
    checkUp: [...(recording.truncated ? [endedEarly] : []), ...soundFindings.map(roundShare), ...worded.checkUp],
  };
}
