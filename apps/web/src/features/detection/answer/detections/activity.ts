import { type Candidate, type Detection, isHidden, namedBirds, type Prediction } from '@chiffchaff/contract';

/** Columns of an activity strip: of an hour, each is two and a half minutes. */
export const ACTIVITY_COLUMNS = 24;

/** One species of a recording with everything that was detected of it. */
export interface SpeciesActivity {
  readonly scientificName: string;
  readonly commonName: string;
  /** in the order of the answer */
  readonly detections: readonly Detection[];
  readonly firstSeconds: number;
  /** Whether the verdict names it. */
  readonly isNamed: boolean;
  /** Of the whole recording, as the verdict and the candidates tell it; null for birds that are in neither. */
  readonly confidence: number | null;
  /** the surest one */
  readonly best: Detection;
  readonly isHidden: boolean;
  /** Detections that reach into each column of the recording. */
  readonly columns: readonly number[];
}

/** Surest first: those that the verdict names, then those that it proposes, then the rest by their best detection. */
export const bySureness = (one: SpeciesActivity, other: SpeciesActivity): number =>
  Number(other.isNamed) - Number(one.isNamed) ||
  (other.confidence ?? -1) - (one.confidence ?? -1) ||
  other.best.confidence - one.best.confidence;

/** The species of a recording, in no order. */
export function activityOf(prediction: Prediction): readonly SpeciesActivity[] {
  const { detections, recording, conditions } = prediction;
  const named = namedBirds(prediction);
  const candidateOf = new Map<string, Candidate>(
    [...prediction.candidates, ...named].map((candidate) => [candidate.scientificName, candidate]),
  );
  const isNamed = new Set(named.map(({ scientificName }) => scientificName));
  const columnSeconds = recording.durationSeconds / ACTIVITY_COLUMNS;
  const columnAt = (seconds: number) => Math.min(ACTIVITY_COLUMNS - 1, Math.max(0, Math.floor(seconds / columnSeconds)));
  return [...Map.groupBy(detections, ({ scientificName }) => scientificName)].flatMap(([scientificName, own]) => {
    const [first] = own;
    if (!first) return [];
    const columns = new Array<number>(ACTIVITY_COLUMNS).fill(0);
    let best = first;
    let firstSeconds = first.startSeconds;
    for (const detection of own) {
      if (detection.confidence > best.confidence) best = detection;
      firstSeconds = Math.min(firstSeconds, detection.startSeconds);
      // An end on the border between two columns is not yet in the next.
      const last = columnAt(Math.max(detection.startSeconds, detection.endSeconds - 1e-6));
      for (let column = columnAt(detection.startSeconds); column <= last; column++) columns[column] = (columns[column] ?? 0) + 1;
    }
    const { commonName } = first;
    return {
      ...{ scientificName, commonName, detections: own, firstSeconds, best, columns },
      isNamed: isNamed.has(scientificName),
      confidence: candidateOf.get(scientificName)?.confidence ?? null,
      isHidden: isHidden(first, conditions),
    };
  });
}
