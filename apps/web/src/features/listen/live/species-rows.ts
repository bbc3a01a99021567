import {
  type Candidate,
  type ConfidenceWord,
  type EarlyDetection,
  isAtLeastPerhaps,
  occurrenceRemark,
  type Prediction,
  regionsToSay,
} from '@chiffchaff/contract';
import type { Span } from '../../../platform/format/format.ts';
import { labelPixels } from '../../../ui/timeline/marks/mark.ts';

/** A species that was heard, as shown in the list. */
export interface SpeciesRow {
  readonly scientificName: string;
  readonly commonName: string;
  readonly confidence: number;
  /** null until enough is heard for a confidence that cannot fall again; `none` only after a change of place */
  readonly confidenceWord: Candidate['confidenceWord'] | null;
  /** what has to be said of it at the place */
  readonly occurrence: ReturnType<typeof occurrenceRemark>;
  /** Where it lives, if it is not expected here. */
  readonly regions: ReturnType<typeof regionsToSay>;
  /** How often it was heard. */
  readonly times: number;
  /** Seconds from the start of the recording. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Its best part. */
  readonly best: Span;
  /** When it was last heard well enough for a row, in seconds from the start of the recording. */
  readonly heardAt: number;
}

/** How long a bird counts as singing after its last detection: songs have pauses, and analysis takes a moment. */
const SINGING_SECONDS = 6;
/** How long a bird is shown that is less sure than *perhaps*. */
const UNSURE_SECONDS = 20;

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

/** A call in the picture of the last seconds. */
export type Call = Pick<SpeciesRow, 'scientificName' | 'commonName' | 'confidence' | 'best'>;

/** How far back calls are named, and where the name of a long one stands before its end. */
const [CALLS_SECONDS, NAMED_SECONDS] = [12, 3];

/** The latest calls of the birds that have a row. */
export const recentCalls = (
  rows: readonly SpeciesRow[],
  { detections, offsetSeconds, analysedSeconds }: LiveUpdate,
): readonly Call[] =>
  detections.flatMap(({ scientificName, startSeconds, endSeconds }) => {
    const row = rows.find((one) => one.scientificName === scientificName && isShown(one));
    if (row === undefined || offsetSeconds + endSeconds < analysedSeconds - CALLS_SECONDS) return [];
    const from = offsetSeconds + Math.max(startSeconds, endSeconds - NAMED_SECONDS);
    const { commonName, confidence } = row;
    const best = { startSeconds: from, endSeconds: offsetSeconds + endSeconds };
    return { scientificName, commonName, confidence, best };
  });

/** What a second takes in the picture of a small phone. */
const SECOND_PIXELS = 45;

const nameEnd = ({ commonName, best }: Call): number => best.startSeconds + labelPixels(commonName) / SECOND_PIXELS;

/** The surest of those whose names would overlap. */
export function callsToName(calls: readonly Call[]): readonly Call[] {
  const named: Call[] = [];
  for (const call of calls.toSorted((one, other) => other.confidence - one.confidence)) {
    const isFree = (one: Call) => nameEnd(one) <= call.best.startSeconds || nameEnd(call) <= one.best.startSeconds;
    if (named.every(isFree)) named.push(call);
  }
  return named;
}

/** By the clock, so that it ends even if the analysis is late. */
export const isSinging = ({ lastSeconds }: SpeciesRow, recordedSeconds: number): boolean =>
  recordedSeconds - lastSeconds <= SINGING_SECONDS;

/** Whether a bird has a row of its own: not if it is less sure than *perhaps*. */
export const isShown = ({ confidenceWord }: SpeciesRow): boolean => confidenceWord === null || isAtLeastPerhaps(confidenceWord);

/** What is said of a bird: `newBird`: it has a row with a word · `surer`: a stronger word · `unsure`: it is only among *Perhaps also*. */
export interface News extends Pick<SpeciesRow, 'scientificName' | 'commonName'> {
  readonly kind: 'newBird' | 'surer' | 'unsure';
  readonly word: ConfidenceWord;
}

const strengths: readonly ConfidenceWord[] = ['perhaps', 'likely', 'veryLikely'];

/** Adds what has not been said of the birds yet: each kind of news once a bird, and nothing before it has a word. */
export function followNews(said: readonly News[], rows: readonly SpeciesRow[]): readonly News[] {
  const added = rows.flatMap(({ scientificName, commonName, confidenceWord: word }): News[] => {
    if (word === null) return [];
    const own = said.filter((news) => news.scientificName === scientificName);
    const isNew = own.every((news) => news.kind === 'unsure');
    const kind = !isAtLeastPerhaps(word) ? 'unsure' : isNew ? 'newBird' : 'surer';
    const isWeaker = (news: News) => strengths.indexOf(news.word) >= strengths.indexOf(word);
    const isKnown = own.some((news) => news.kind === kind || (kind === 'surer' && isWeaker(news)));
    return isKnown ? [] : [{ scientificName, commonName, kind, word }];
  });
  return added.length > 0 ? [...said, ...added] : said;
}

/**
 * Updates the rows after more has been analysed. A species gets a row as soon as the newest seconds contain it, on top of the others, whose
 * order never changes, and its word once that is settled. It stays if that is at least *perhaps*. A bird that is not expected at the assumed
 * place has a row only if it is *very likely*.
 *
 * @param before the rows so far
 */
export function followRows(before: readonly SpeciesRow[], heard: LiveUpdate): readonly SpeciesRow[] {
  const { detections, answer, justHeard, offsetSeconds, analysedSeconds } = heard;
  const known = new Map(before.map((row) => [row.scientificName, row]));
  const added: SpeciesRow[] = [];
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
    const next: SpeciesRow = {
      scientificName,
      commonName: newest.commonName,
      confidence: settled?.confidence ?? kept?.confidence ?? 0,
      confidenceWord: settled?.confidenceWord ?? kept?.confidenceWord ?? null,
      occurrence: candidate ? occurrenceRemark(candidate) : (row?.occurrence ?? null),
      regions: candidate?.assumed === 'elsewhere' ? regionsToSay(candidate) : [],
      times: Math.max(own.length, row?.times ?? 0),
      firstSeconds: row?.firstSeconds ?? offsetSeconds + Math.min(...own.map(({ startSeconds }) => startSeconds)),
      lastSeconds: offsetSeconds + Math.max(...own.map(({ endSeconds }) => endSeconds)),
      best:
        kept && !settled
          ? kept.best
          : { startSeconds: offsetSeconds + best.startSeconds, endSeconds: offsetSeconds + best.endSeconds },
      heardAt: isNow ? analysedSeconds : (row?.heardAt ?? analysedSeconds),
    };
    const isFarAway = candidate?.assumed === 'elsewhere' && next.confidenceWord !== 'veryLikely';
    if (isFarAway) known.delete(scientificName);
    else if (row) known.set(scientificName, next);
    else added.unshift(next);
  }
  return [...added, ...known.values()].filter(
    ({ confidenceWord, heardAt }) =>
      (confidenceWord !== null && isAtLeastPerhaps(confidenceWord)) || analysedSeconds - heardAt < UNSURE_SECONDS,
  );
}
