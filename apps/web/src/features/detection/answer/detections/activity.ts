import { type Candidate, type Detection, isHidden, namedBirds, type Prediction } from '@chiffchaff/contract';

/** Columns of an activity strip: for an hour, each is two and a half minutes. */
export const ACTIVITY_COLUMNS = 24;

/** One species of a recording with all its detections. */
export interface SpeciesActivity {
  readonly scientificName: string;
  readonly commonName: string;
  /** in the prediction's order */
  readonly detections: readonly Detection[];
  readonly firstSeconds: number;
  /** Whether the verdict names it. */
  readonly isNamed: boolean;
  /** Confidence for the whole recording, from the verdict or the candidates; null for birds in neither. */
  readonly confidence: number | null;
  /** the one with the highest confidence */
  readonly best: Detection;
  readonly isHidden: boolean;
  /** Number of detections that overlap each column of the recording. */
  readonly columns: readonly number[];
}

/** Surest first: birds that the verdict names, then candidates, then the rest by their best detection. */
export const bySureness = (one: SpeciesActivity, other: SpeciesActivity): number =>
  Number(other.isNamed) - Number(one.isNamed) ||
  (other.confidence ?? -1) - (one.confidence ?? -1) ||
  other.best.confidence - one.best.confidence;

/** The species of a recording, unsorted. */
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
      // A detection that ends exactly between two columns does not count for the second one.
      const last = columnAt(Math.max(detection.startSeconds, detection.endSeconds - 1e-6));
      for (let column = columnAt(detection.startSeconds); column <= last; column++) columns[column] = (columns[column] ?? 0) + 1;
    }
    const { commonName } = first;
    return {
      scientificName,
      commonName,
      detections: own,
      firstSeconds,
      best,
      columns,
      isNamed: isNamed.has(scientificName),
      confidence: candidateOf.get(scientificName)?.confidence ?? null,
      isHidden: isHidden(first, conditions),
    };
  });
}
