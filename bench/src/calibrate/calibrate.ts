import type { ConfidenceCounts, ConfidenceEvidence } from '@chiffchaff/contract';
import { type Calibration, type ModelKnowledge, workOutScores } from '@chiffchaff/recognizer';
import { type AnalyzedRow, secondsOf } from '../evaluate/analyze-rows.ts';
import { isBirdFree } from '../evaluate/recordings-table.ts';
import { type Claim, claimsOf, firstByScore, sightingsOf, type Trial } from './claims.ts';
import {
  countConfusions,
  countFalseAlarms,
  countSpecies,
  countWords,
  coverageOf,
  type FirstAnswer,
  rounded,
  workOutConfidenceFigures,
} from './count-evidence.ts';
import { claimsOutOfFold, fitConfidence } from './cross-validate.ts';
import { dealFolds } from './folds.ts';
import { pickByName } from './made-up-places.ts';
import { countPlaces } from './places/count-places.ts';
import type { SampleZone } from './places/sample-zones.ts';

/**
 * How the fit is made. Each recording contributes its first claim, right or wrong, because the words describe the first claim. Bird-free
 * recordings weigh a quarter: they stand for the noise that users upload now and then.
 */
const METHOD = { folds: 10, penalty: 1, claims: 1, rounds: 3, birdFreeWeight: 0.25, elsewhereWeight: 0.1 } as const;
/** A species named in fewer recordings than this is not listed. */
const MIN_NAMED = 5;
/** Claims per recording that are kept; in a bird-free recording each may be a false alarm. */
const ALARMS = 5;
export interface CalibrateInput {
  readonly model: ModelKnowledge;
  readonly modelSha256: string;
  readonly tableSha256: string;
  /** The split that the coefficients in use were not fitted on; null if they were fitted on none of the recordings. */
  readonly unseenSplit: string | null;
  readonly analysed: readonly AnalyzedRow[];
  /** for each place, how likely each label is there */
  readonly occurrences: readonly Float32Array[];
  readonly scenes: ConfidenceEvidence['scenes'];
  readonly zones: readonly SampleZone[];
}

export interface Calibrated {
  readonly evidence: ConfidenceEvidence;
  /** coefficients that fit the recordings outside the unseen split */
  readonly fitted: Calibration['confidence'];
}

/** A trial with the facts needed to count it. */
interface CountedTrial extends Trial {
  readonly recording: string;
  readonly split: string;
  readonly isBird: boolean;
  readonly species: string;
  readonly byScore: { readonly label: number; readonly score: number };
  readonly label: number | null;
  readonly seconds: number;
}

/**
 * Counts how often answers are right: with the coefficients in use, on recordings that they were not fitted to, and with a fit for each
 * fold, on all recordings. Fits coefficients to all recordings but the unseen split. Pure: the same input gives the same output.
 * @throws InputError when the recordings are too few or too similar
 */
export function calibrate(input: CalibrateInput): Calibrated {
  const { model, analysed, unseenSplit } = input;
  const { calibration } = model.manifest;
  const usable = analysed.filter(({ row }) => row.group === 'bird' || isBirdFree(row));
  const folds = dealFolds(
    usable.map(({ row, scientificName }) => ({
      file: row.file,
      kin: [scientificName ?? row.scientificName, sourceOf(row.source)],
    })),
    METHOD.folds,
  );
  const asked = usable.map((recording, i) => askerOf(recording, folds[i] ?? 0, model));
  const withoutPlace = asked.map((ask) => ask(null, 1));
  const withPlace = usable.flatMap((recording, i) =>
    placesFor(recording, input).flatMap(([occurrence, weight]) => asked[i]?.(occurrence, weight) ?? []),
  );
  const outOfFold = claimsOutOfFold(withoutPlace, METHOD, ALARMS);
  const inUse = withoutPlace.map((trial) => claimsOf(trial, calibration.confidence.withoutPlace, ALARMS));
  const answersOf = (claims: readonly (readonly Claim[])[]): TrialClaims[] =>
    withoutPlace.map((asked, i) => ({ asked, claims: claims[i] ?? [] }));
  const everything = answersOf(outOfFold);
  const unseen = answersOf(inUse).filter(({ asked }) => unseenSplit === null || asked.split === unseenSplit);
  const fitTo = (trials: readonly CountedTrial[]) =>
    fitConfidence(
      trials.filter(({ split }) => split !== unseenSplit),
      METHOD,
    );
  const evidence: ConfidenceEvidence = {
    evidenceVersion: 1,
    model: { id: model.manifest.id, sha256: input.modelSha256 },
    tableSha256: input.tableSha256,
    method: METHOD,
    tested: { split: unseenSplit, ...count(unseen, model) },
    crossValidated: count(everything, model),
    places: countPlaces({ ...input, split: unseenSplit, analysed: usable.filter(({ row }) => row.group === 'bird') }),
    scenes: input.scenes,
    minNamed: MIN_NAMED,
    species: countSpecies(firstAnswers(everything, model), calibration.words.notSure, MIN_NAMED),
    confusions: countConfusions(firstAnswers(everything, model), calibration.words.notSure),
  };
  return { evidence, fitted: { withoutPlace: fitTo(withoutPlace), withPlace: fitTo(withPlace) } };
}

interface TrialClaims {
  readonly asked: CountedTrial;
  readonly claims: readonly Claim[];
}

function firstAnswers(answered: readonly TrialClaims[], model: ModelKnowledge): FirstAnswer[] {
  return answered.filter(({ asked }) => asked.isBird).map(({ asked, claims: [first] }) => answerOf(asked, first ?? null, model));
}

function count(answered: readonly TrialClaims[], model: ModelKnowledge): ConfidenceCounts {
  const { words } = model.manifest.calibration;
  const birds = answered.filter(({ asked }) => asked.isBird);
  const birdFree = answered.filter(({ asked }) => !asked.isBird);
  const answers = firstAnswers(birds, model);
  const hours = birdFree.reduce((sum, { asked }) => sum + asked.seconds, 0) / 3600;
  const byScore = birds.map(({ asked }) => ({ certainty: asked.byScore.score, right: asked.byScore.label === asked.label }));
  const claimed = birdFree.flatMap(({ claims }) => claims.map(({ confidence }) => confidence));
  return {
    birds: birds.length,
    species: new Set(answers.map(({ species }) => species)).size,
    withoutClass: birds.filter(({ asked }) => asked.label === null).length,
    words: countWords(answers, words),
    figures: workOutConfidenceFigures(answers),
    scoreCoverage: coverageOf(byScore),
    birdFree: birdFree.length,
    birdFreeHours: rounded(hours),
    falseAlarms: countFalseAlarms(claimed, words, hours),
  };
}

/** ESC-50 cuts several clips from one recording; their names differ only in the last letter. */
function sourceOf(source: string): string {
  return source.replace(/^(ESC50 \d-\d+)-[A-Z]$/, '$1');
}

function askerOf({ row, scientificName, evidence }: AnalyzedRow, fold: number, { manifest, species }: ModelKnowledge) {
  const { scores } = workOutScores(evidence, manifest.calibration.pooling);
  const label = scientificName === null ? null : species.labels.findIndex((each) => each.scientificName === scientificName);
  const isBird = row.group === 'bird';
  const byScore = firstByScore(scores, species);
  return (occurrence: Float32Array | null, weight: number): CountedTrial => {
    const sightings = sightingsOf({ evidence, label, occurrence, scores }, manifest.calibration);
    return {
      sightings,
      label,
      fold,
      isBird,
      byScore,
      weight: weight * (isBird ? 1 : METHOD.birdFreeWeight),
      recording: row.file,
      split: row.split,
      species: scientificName ?? row.scientificName,
      seconds: secondsOf(evidence),
    };
  };
}

/**
 * Tries a bird at one place where it occurs and, with a tenth of the weight, at one where it does not. There every name is wrong, which
 * is what the gap is for. A bird-free recording, or a bird without a class, is tried at any place.
 */
function placesFor(
  { row, scientificName }: AnalyzedRow,
  { occurrences, model }: CalibrateInput,
): (readonly [occurrence: Float32Array, weight: number])[] {
  const { rare, hidden } = model.manifest.calibration.occurrence;
  if (scientificName === null) {
    const anywhere = pickByName(occurrences, row.file);
    return anywhere === undefined ? [] : [[anywhere, 1]];
  }
  const label = model.species.labels.findIndex((each) => each.scientificName === scientificName);
  const at = (occurrence: Float32Array): number => occurrence[label] ?? 0;
  const here = pickByName(
    occurrences.filter((occurrence) => at(occurrence) >= rare),
    row.file,
  );
  const elsewhere = pickByName(
    occurrences.filter((occurrence) => at(occurrence) < hidden),
    row.file,
  );
  return [
    ...(here === undefined ? [] : [[here, 1] as const]),
    ...(elsewhere === undefined ? [] : [[elsewhere, METHOD.elsewhereWeight] as const]),
  ];
}

function answerOf({ species, recording }: CountedTrial, claim: Claim | null, model: ModelKnowledge): FirstAnswer {
  return {
    recording,
    certainty: claim?.confidence ?? 0,
    right: claim?.right ?? false,
    named: claim === null ? null : (model.species.labels[claim.label]?.scientificName ?? null),
    species,
  };
}
