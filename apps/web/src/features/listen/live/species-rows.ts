import { type Candidate, type EarlyDetection, occurrenceRemark, type Prediction } from '@chiffchaff/contract';
import type { Span } from '../../../platform/format/format.ts';

/** A species that was heard, as shown in the list. */
export interface SpeciesRow {
  readonly scientificName: string;
  readonly commonName: string;
  readonly confidence: number;
  /** null until enough is heard for a confidence that cannot fall again; `none` only after a change of place */
  readonly confidenceWord: Candidate['confidenceWord'] | null;
  /** what has to be said of it at the place */
  readonly occurrence: ReturnType<typeof occurrenceRemark>;
  /** Seconds from the start of the recording. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Its best part. */
  readonly best: Span;
  readonly isSinging: boolean;
  /** When it was last heard well enough for a row, in seconds from the start of the recording. */
  readonly heardAt: number;
}

/** How long a bird counts as singing after its last detection: songs have pauses. */
const SINGING_SECONDS = 4.5;

/** By then, every clip in which a bird without a word was heard has been analysed, with either clip step. */
const UNSETTLED_SECONDS = 12;

interface LiveUpdate {
  readonly detections: readonly EarlyDetection[];
  readonly answer: Pick<Prediction, 'candidates'>;
  /** scientific names of the birds in the newest seconds */
  readonly justHeard: readonly string[];
  /** Length of the recording before the part that is analysed here. */
  readonly offsetSeconds: number;
  /** From the start of the recording. */
  readonly analysedSeconds: number;
}

const isSinging = (lastSeconds: number, analysedSeconds: number): boolean => analysedSeconds - lastSeconds <= SINGING_SECONDS;

/**
 * Updates the rows after more has been analysed. A species gets a row as soon as the newest seconds contain it, and its word once that is
 * settled. With a word, the row stays, so that nothing disappears while it is being read; without one, it goes again. Singing birds come
 * first, the latest to start on top; then the others, last heard first.
 *
 * @param before the rows so far
 */
export function followRows(before: readonly SpeciesRow[], heard: LiveUpdate): readonly SpeciesRow[] {
  const { detections, answer, justHeard, offsetSeconds, analysedSeconds } = heard;
  const known = new Map(before.map((row) => [row.scientificName, row]));
  const candidates = new Map(answer.candidates.map((bird) => [bird.scientificName, bird]));
  for (const [scientificName, own] of Map.groupBy(detections, (detection) => detection.scientificName)) {
    const row = known.get(scientificName);
    const candidate = candidates.get(scientificName);
    const isOfThisPart = !row || row.firstSeconds >= offsetSeconds;
    const hasWord = candidate !== undefined && candidate.confidenceWord !== 'none';
    const settled = hasWord && (isOfThisPart || candidate.confidence > row.confidence) ? candidate : null;
    const isNow = justHeard.includes(scientificName);
    const newest = own.at(-1);
    if (newest === undefined || (!row && !settled && !isNow)) continue;
    // Once settled, a row changes only with the place.
    const earlier = row && row.confidenceWord !== null ? row : null;
    const kept =
      earlier && isOfThisPart ? { ...earlier, confidence: candidate?.confidence ?? 0, confidenceWord: 'none' as const } : earlier;
    const best = settled?.best ?? newest;
    known.set(scientificName, {
      scientificName,
      commonName: newest.commonName,
      confidence: settled?.confidence ?? kept?.confidence ?? 0,
      confidenceWord: settled?.confidenceWord ?? kept?.confidenceWord ?? null,
      occurrence: candidate ? occurrenceRemark(candidate) : (row?.occurrence ?? null),
      firstSeconds: row?.firstSeconds ?? offsetSeconds + Math.min(...own.map(({ startSeconds }) => startSeconds)),
      lastSeconds: offsetSeconds + Math.max(...own.map(({ endSeconds }) => endSeconds)),
      best:
        kept && !settled
          ? kept.best
          : { startSeconds: offsetSeconds + best.startSeconds, endSeconds: offsetSeconds + best.endSeconds },
      isSinging: false,
      heardAt: isNow ? analysedSeconds : (row?.heardAt ?? analysedSeconds),
    });
  }
  return [...known.values()]
    .filter(({ confidenceWord, heardAt }) => confidenceWord !== null || analysedSeconds - heardAt < UNSETTLED_SECONDS)
    .map((row) => ({ ...row, isSinging: isSinging(row.lastSeconds, analysedSeconds) }))
    .toSorted(
      (one, other) =>
        Number(other.isSinging) - Number(one.isSinging) ||
        (one.isSinging ? other.firstSeconds - one.firstSeconds : other.lastSeconds - one.lastSeconds) ||
        one.scientificName.localeCompare(other.scientificName),
    );
}
