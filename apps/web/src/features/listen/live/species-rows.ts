import type { Candidate, EarlyDetection, Prediction } from '@chiffchaff/contract';

/** A species that was heard, as the list shows it. */
export interface SpeciesRow {
  readonly scientificName: string;
  readonly commonName: string;
  readonly confidence: number;
  /** null until as much is heard as a confidence needs that does not fall again; `none` only after a change of place */
  readonly confidenceWord: Candidate['confidenceWord'] | null;
  readonly isUnusual: boolean;
  /** Seconds of the recording. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Where it is heard best. */
  readonly best: { readonly startSeconds: number; readonly endSeconds: number };
  readonly isSinging: boolean;
  /** When it was last heard well enough for a row, in seconds of the recording. */
  readonly heardAt: number;
}

/** After its last detection ended, a bird counts as singing for so long: songs have pauses. */
const SINGING_SECONDS = 4.5;

/** By then, everything has been judged that a bird without a word was heard in, with either step of the clips. */
const UNSETTLED_SECONDS = 12;

interface Heard {
  readonly detections: readonly EarlyDetection[];
  readonly answer: Pick<Prediction, 'candidates'>;
  /** scientific names of what the newest seconds hold */
  readonly justHeard: readonly string[];
  /** How much of the recording lay before what was analysed here. */
  readonly offsetSeconds: number;
  /** Counted from the beginning of the recording. */
  readonly analysedSeconds: number;
}

const isSinging = (lastSeconds: number, analysedSeconds: number): boolean => analysedSeconds - lastSeconds <= SINGING_SECONDS;

/**
 * The rows after more has been analysed. A species gets one as soon as the newest seconds hold it, and its word when that is settled. With a
 * word it stays, as what was read a moment ago must not be gone; without one it goes again. Those singing come first, the ones that began
 * last on top; then the others, the last heard first.
 *
 * @param before the rows so far
 */
export function followRows(before: readonly SpeciesRow[], heard: Heard): readonly SpeciesRow[] {
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
    // What is settled changes only with the place.
    const earlier = row && row.confidenceWord !== null ? row : null;
    const kept =
      earlier && isOfThisPart ? { ...earlier, confidence: candidate?.confidence ?? 0, confidenceWord: 'none' as const } : earlier;
    const best = settled?.best ?? newest;
    known.set(scientificName, {
      scientificName,
      commonName: newest.commonName,
      confidence: settled?.confidence ?? kept?.confidence ?? 0,
      confidenceWord: settled?.confidenceWord ?? kept?.confidenceWord ?? null,
      isUnusual: candidate?.unusualHere ?? row?.isUnusual ?? false,
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
