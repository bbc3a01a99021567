import { InputError } from '@chiffchaff/cli';
import type { ConfidenceCounts, ConfidenceEvidence } from '@chiffchaff/contract';
import { type Calibration, type ModelKnowledge, workOutScores } from '@chiffchaff/recognizer';
import { type AnalyzedRow, secondsOf } from '../evaluate/analyze-rows.ts';
import { isBirdFree, shownSplit } from '../evaluate/recordings-table.ts';
import { type Claim, claimsOf, firstByScore, sightingsOf, type Trial } from './claims.ts';
import {
  countConfusions,
  countFalseAlarms,
  countSpecies,
  countWords,
  coverageOf,
  type FirstAnswer,
  gainBetween,
  rounded,
  workOutConfidenceFigures,
} from './count-evidence.ts';
import { claimsOutOfFold, fitConfidence } from './cross-validate.ts';
import { calibrateDetections } from './detections/calibrate-detections.ts';
import type { JoinedRecording } from './detections/joined-recordings.ts';
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
  readonly published: Calibration['confidence'];
  readonly tableSha256: string;
  /** The split that the published coefficients were not fitted on; null if they were fitted on none of the recordings. */
  readonly unseenSplit: string | null;
  readonly analysed: readonly AnalyzedRow[];
  /** for each place, how likely each label is there */
  readonly occurrences: readonly Float32Array[];
  readonly joined: readonly JoinedRecording[];
  readonly zones: readonly SampleZone[];
}

/** A trial with the facts needed to count it. */
interface CountedTrial extends Trial {
  readonly recording: string;
  readonly split: string;
  readonly isBird: boolean;
  /** false at a place where the bird does not occur */
  readonly isCounted: boolean;
  readonly species: string;
  readonly byScore: { readonly label: number; readonly score: number };
  readonly label: number | null;
  readonly seconds: number;
}

/**
 * Fits both sets of coefficients, evaluates them on recordings they were not fitted on, and counts the results. Pure: the same input
 * gives the same output.
 * @throws InputError when the recordings are too few or too similar
 */
export function calibrate(input: CalibrateInput): ConfidenceEvidence {
  const { model, published, analysed, unseenSplit } = input;
  const { calibration } = model.manifest;
  const usable = analysed.filter(({ row }) => row.group === 'bird' || isBirdFree(row));
  const folds = dealFolds(
    usable.map(({ row, scientificName }) => ({
      file: row.file,
      kin: [scientificName ?? row.scientificName, sourceOf(row.source)],
    })),
    METHOD.folds,
  );
  const withoutPlace: CountedTrial[] = [];
  const withPlace: CountedTrial[] = [];
  usable.forEach((recording, i) => {
    const ask = askerOf(recording, folds[i] ?? 0, model);
    withoutPlace.push(ask(null, 1, true));
    for (const [occurrence, weight, isCounted] of placesFor(recording, input)) withPlace.push(ask(occurrence, weight, isCounted));
  });

  const compared = {
    withoutPlace: compare(withoutPlace, published.withoutPlace),
    withPlace: compare(withPlace, published.withPlace),
  };
  const inUse = {
    withoutPlace: nameOf(calibration.confidence.withoutPlace, published.withoutPlace, compared.withoutPlace.refit),
    withPlace: nameOf(calibration.confidence.withPlace, published.withPlace, compared.withPlace.refit),
  };
  const { outOfFold, byPublished } = compared.withoutPlace;
  const answersOf = (claims: readonly (readonly Claim[])[]): TrialClaims[] =>
    withoutPlace.map((asked, i) => ({ asked, claims: claims[i] ?? [] }));
  const everything = answersOf(outOfFold);
  const crossValidated = count(everything, model);
  // Report only recordings that the coefficients were not fitted on: the out-of-fold results of the re-fit, or the unseen split of the
  // published set.
  const tested =
    inUse.withoutPlace === 'refit'
      ? { split: null, ...crossValidated }
      : {
          split: unseenSplit,
          ...count(
            answersOf(byPublished).filter(({ asked }) => isUnseen(asked, unseenSplit)),
            model,
          ),
        };

  return {
    evidenceVersion: 1,
    model: { id: model.manifest.id, sha256: input.modelSha256 },
    tableSha256: input.tableSha256,
    method: METHOD,
    inUse,
    coefficients: {
      published,
      refit: { withoutPlace: compared.withoutPlace.refit, withPlace: compared.withPlace.refit },
    },
    comparison: {
      withoutPlace: judge(withoutPlace, compared.withoutPlace, input),
      withPlace: judge(withPlace, compared.withPlace, input),
    },
    tested,
    crossValidated,
    detections:
      unseenSplit === null
        ? null
        : calibrateDetections({
            ...input,
            unseenSplit,
            analysed: usable,
            foldOf: (recording) => folds[usable.indexOf(recording)] ?? 0,
            placeOf: (recording) => placesFor(recording, input).find(([, , isCounted]) => isCounted)?.[0] ?? null,
          }),
    places: countPlaces({ ...input, split: unseenSplit, analysed: usable.filter(({ row }) => row.group === 'bird') }),
    minNamed: MIN_NAMED,
    species: countSpecies(firstAnswers(everything, model), calibration.words.notSure, MIN_NAMED),
    confusions: countConfusions(firstAnswers(everything, model), calibration.words.notSure),
  };
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
  return (occurrence: Float32Array | null, weight: number, isCounted: boolean): CountedTrial => {
    const sightings = sightingsOf({ evidence, label, occurrence, scores }, manifest.calibration);
    return {
      sightings,
      label,
      fold,
      isBird,
      isCounted,
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
): (readonly [occurrence: Float32Array, weight: number, isCounted: boolean])[] {
  const { rare, hidden } = model.manifest.calibration.occurrence;
  if (scientificName === null) {
    const anywhere = pickByName(occurrences, row.file);
    return anywhere === undefined ? [] : [[anywhere, 1, true]];
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
    ...(here === undefined ? [] : [[here, 1, true] as const]),
    ...(elsewhere === undefined ? [] : [[elsewhere, METHOD.elsewhereWeight, false] as const]),
  ];
}

interface Compared {
  readonly refit: Calibration['confidence']['withoutPlace'];
  readonly outOfFold: readonly (readonly Claim[])[];
  readonly byPublished: readonly (readonly Claim[])[];
}

function compare(trials: readonly CountedTrial[], published: Calibration['confidence']['withoutPlace']): Compared {
  return {
    refit: fitConfidence(trials, METHOD),
    outOfFold: claimsOutOfFold(trials, METHOD, ALARMS),
    byPublished: trials.map((trial) => claimsOf(trial, published, ALARMS)),
  };
}

function judge(
  trials: readonly CountedTrial[],
  { outOfFold, byPublished }: Compared,
  { model, unseenSplit }: CalibrateInput,
): ConfidenceEvidence['comparison']['withPlace'] {
  const answersBy = (claims: readonly (readonly Claim[])[]) =>
    trials.flatMap((asked, i) =>
      asked.isBird && asked.isCounted && isUnseen(asked, unseenSplit) ? [answerOf(asked, claims[i]?.[0] ?? null, model)] : [],
    );
  const published = answersBy(byPublished);
  const refit = answersBy(outOfFold);
  if (published.length === 0)
    throw new InputError(
      `No bird${unseenSplit === null ? '' : ` of split ${shownSplit(unseenSplit)}`} is met at any of the places that are tried, so nothing can be judged there. Recordings of commoner species are needed.`,
    );
  const [before, after] = [workOutConfidenceFigures(published), workOutConfidenceFigures(refit)];
  const { gain, gainError } = gainBetween(published, refit);
  const better = gain > 2 * gainError && after.calibrationError <= before.calibrationError;
  return { split: unseenSplit, published: before, refit: after, gain, gainError, better };
}

const isUnseen = ({ split }: CountedTrial, unseenSplit: string | null): boolean => unseenSplit === null || split === unseenSplit;

function answerOf({ species, recording }: CountedTrial, claim: Claim | null, model: ModelKnowledge): FirstAnswer {
  return {
    recording,
    certainty: claim?.confidence ?? 0,
    right: claim?.right ?? false,
    named: claim === null ? null : (model.species.labels[claim.label]?.scientificName ?? null),
    species,
  };
}

/** @throws InputError when the coefficients in use are neither, because then it is unknown what they were fitted on */
function nameOf(
  used: Calibration['confidence']['withoutPlace'],
  published: Calibration['confidence']['withoutPlace'],
  refit: Calibration['confidence']['withoutPlace'],
): 'published' | 'refit' {
  const same = (other: typeof used) => (Object.keys(used) as (keyof typeof used)[]).every((name) => used[name] === other[name]);
  if (same(refit)) return 'refit';
  if (same(published)) return 'published';
  throw new InputError(
    'The coefficients of calibration.json are neither the published ones (coefficients.json) nor what these recordings give, so what they were fitted on is not known. One of the two has to be in use.',
  );
}
