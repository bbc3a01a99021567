import type { Conditions } from '@chiffchaff/contract';
import { type AnswerConditions, DEFAULT_TOP, type ModelManifest, type PlaceAndWeek } from '@chiffchaff/recognizer';
import { DEFAULT_LANGUAGE } from './name-labels.ts';
import type { Surroundings } from './occurrence-word.ts';
import { round } from './rounding.ts';

/** What can be asked of a recording repeatedly, without its audio. Absent values take the model's defaults. */
export interface Reconsideration {
  readonly latitude?: number;
  readonly longitude?: number;
  /** Where the coordinates come from; `stated` when absent. */
  readonly placeSource?: 'stated' | 'file' | undefined;
  /** IANA time zone, from which a place is assumed when there are no coordinates; an unknown name is ignored. */
  readonly timeZone?: string | undefined;
  /** 1–48; absent: the whole year. Ignored without coordinates. */
  readonly week?: number;
  /** The day that `week` is derived from, as `2026-05-01`; only repeated in the answer. */
  readonly date?: string;
  /** Birds that may be named, by the model's scientific names. Absent: all. */
  readonly species?: readonly string[] | undefined;
  /** Only birds at least this likely at the place may be named, 0…1. Ignored without a place. */
  readonly minOccurrence?: number | undefined;
  /** One detection for every clip with a species; otherwise neighbouring clips are joined. */
  readonly perClip?: boolean | undefined;
  /** Whether the detections have what is no bird as well. */
  readonly sounds?: boolean | undefined;
  readonly minScore?: number;
  readonly language?: string;
  /** number of candidates to keep */
  readonly top?: number;
  /** Maximum number of detections in the answer; the best of each species in each minute come first. Absent: all. */
  readonly mostDetections?: number;
}

/** A question about evidence, with everything needed to answer it; can be sent to another thread. */
export interface Question extends Pick<AnswerConditions, 'occurrence' | 'listed' | 'perClip' | 'sounds'> {
  readonly conditions: Conditions;
  /** Around a stated place, for the words of occurrence; absent or null where unknown. */
  readonly surroundings?: Surroundings | null;
  /** How likely each species is in each time zone: see `ZoneTable`; absent or null where the place is stated, or they are not known. */
  readonly zones?: Uint8Array | null;
  /** Seconds of the recording per second of what was analysed; 1 when absent. */
  readonly speed?: number;
  /** Where species live, one line a label: see `ZoneTable`; null when not included in the answer. */
  readonly regions: string | null;
  /** number of candidates to keep */
  readonly top: number;
  /** Maximum number of detections in the answer; the best are kept. */
  readonly mostDetections: number;
}

/** A place assumed from a time zone. */
export interface AssumedPlace {
  /** current IANA name */
  readonly timeZone: string;
  /** How likely each label is there over the year, in label order. */
  readonly occurrence: Float32Array;
}

/** Provides what a question needs to know about places. */
export interface PlaceKnowledge {
  /** null when the model has no occurrence model */
  occurrenceAt(place: PlaceAndWeek): Promise<Float32Array | null>;
  /** null when the model has no occurrence model; absent where only the place itself can be looked up */
  surroundingsOf?(place: PlaceAndWeek): Promise<Surroundings | null>;
  /** null when no place is assumed from that time zone */
  assume(timeZone: string): Promise<AssumedPlace | null>;
  /** See `Question`. */
  zones(): Promise<Uint8Array | null>;
  /** See `Question`. */
  regions(): Promise<string | null>;
}

/** How the conditions say where the place comes from. */
type PlaceSources = Pick<Conditions, 'placeSource' | 'timeZone'>;

const clipSecondsOf = ({ audio }: ModelManifest): number => audio.clipSamples / audio.sampleRate;

/** default overlap of neighbouring clips in seconds */
export const usualOverlapSeconds = (manifest: ModelManifest): number =>
  clipSecondsOf(manifest) - manifest.defaults.clipStepSeconds;

/** The conditions of a request, without the source of the place. @param overlapSeconds of neighbouring clips */
function readConditions(
  manifest: ModelManifest,
  request: Reconsideration,
  overlapSeconds: number,
): Omit<Conditions, keyof PlaceSources> {
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

/** Occurrence at the stated place and around it, else at the assumed one, else null. */
async function findPlace(
  { latitude, longitude, week }: Pick<Conditions, 'latitude' | 'longitude' | 'week'>,
  { placeSource = 'stated', timeZone }: Reconsideration,
  knowledge: PlaceKnowledge,
): Promise<{ readonly source: PlaceSources } & Pick<Question, 'occurrence' | 'surroundings' | 'zones'>> {
  if (latitude !== null && longitude !== null) {
    const place = { latitude, longitude, week };
    const [occurrence, surroundings = null] = await Promise.all([
      knowledge.occurrenceAt(place),
      knowledge.surroundingsOf?.(place),
    ]);
    return { source: { placeSource, timeZone: null }, occurrence, surroundings };
  }
  const assumed = timeZone === undefined ? null : await knowledge.assume(timeZone);
  const zones = await knowledge.zones();
  if (assumed === null) return { source: { placeSource: 'none', timeZone: null }, occurrence: null, zones };
  return { source: { placeSource: 'assumed', timeZone: assumed.timeZone }, occurrence: assumed.occurrence, zones };
}

/**
 * Gathers everything needed to answer a request.
 *
 * @param overlapSeconds of neighbouring clips; the model's default when absent
 * @throws whatever `knowledge` throws
 */
export async function questionOf(
  manifest: ModelManifest,
  request: Reconsideration,
  knowledge: PlaceKnowledge,
  overlapSeconds: number = usualOverlapSeconds(manifest),
): Promise<Question> {
  const { top = DEFAULT_TOP, mostDetections = Number.POSITIVE_INFINITY } = request;
  const conditions = readConditions(manifest, request, overlapSeconds);
  const [regions, { source, ...place }] = await Promise.all([knowledge.regions(), findPlace(conditions, request, knowledge)]);
  const question = { conditions: { ...conditions, ...source }, ...place, regions, top, mostDetections };
  return { ...question, ...(request.perClip ? { perClip: true } : {}), ...(request.sounds ? { sounds: true } : {}) };
}
