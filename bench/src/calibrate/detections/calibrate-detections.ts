import type { ConfidenceEvidence } from '@chiffchaff/contract';
import type { DetectionCoefficients, DetectionInputs, ModelKnowledge } from '@chiffchaff/recognizer';
import type { AnalyzedRow } from '../../evaluate/analyze-rows.ts';
import { chanceOf, fitLogistic } from '../logistic-fit.ts';
import { countDetections, type JudgedRow } from './count-detections.ts';
import { type DetectionRow, rowsOfJoined, rowsOfRecording } from './detection-rows.ts';
import { JOINED, type JoinedRecording } from './joined-recordings.ts';

type DetectionEvidence = NonNullable<ConfidenceEvidence['detections']>;

/** Bird-free recordings weigh a quarter, as in the fit of passages. */
const METHOD = { penalty: 1, birdFreeWeight: 0.25 } as const;
const DECIMALS = 4;

export interface CalibrateDetectionsInput {
  readonly model: ModelKnowledge;
  /** recordings of birds and bird-free recordings */
  readonly analysed: readonly AnalyzedRow[];
  readonly foldOf: (recording: AnalyzedRow) => number;
  /** the occurrence at the place where a recording is tried; null for none */
  readonly placeOf: (recording: AnalyzedRow) => Float32Array | null;
  readonly joined: readonly JoinedRecording[];
  readonly unseenSplit: string;
}

interface WeighedRow extends DetectionRow {
  readonly weight: number;
  readonly fold: number;
}

/** Detections of recordings that are evaluated together. */
interface Group {
  /** number of recordings of birds that the model knows */
  readonly birds: number;
  readonly rows: readonly WeighedRow[];
}

interface Sample {
  readonly separate: Group;
  readonly atPlaces: Group;
  readonly joined: readonly (Group & { readonly seed: number })[];
}

/** The confidence of a detection, by a fit that has not seen it. */
interface Judges {
  readonly withoutPlace: (row: WeighedRow) => number;
  readonly withPlace: (row: WeighedRow) => number;
}

/** Fits the coefficients of detections to all splits but one, and evaluates them on that one and, out of fold, on the others. */
export function calibrateDetections(input: CalibrateDetectionsInput): DetectionEvidence {
  const fitted = gather(input, (split) => split !== input.unseenSplit);
  const unseen = gather(input, (split) => split === input.unseenSplit);
  const rows = {
    withoutPlace: [fitted.separate, ...fitted.joined].flatMap((group) => group.rows),
    withPlace: fitted.atPlaces.rows,
  };
  const coefficients = { withoutPlace: fit(rows.withoutPlace), withPlace: fit(rows.withPlace) };
  const inUse: Judges = {
    withoutPlace: ({ inputs }) => confidenceOf(coefficients.withoutPlace, inputs),
    withPlace: ({ inputs }) => confidenceOf(coefficients.withPlace, inputs),
  };
  const outOfFold: Judges = { withoutPlace: judgeOutOfFold(rows.withoutPlace), withPlace: judgeOutOfFold(rows.withPlace) };
  return {
    split: input.unseenSplit,
    method: { ...METHOD, ...JOINED, seeds: [...JOINED.seeds] },
    coefficients,
    tested: count(unseen, inUse, input.model),
    crossValidated: count(fitted, outOfFold, input.model),
  };
}

function gather(input: CalibrateDetectionsInput, isIn: (split: string) => boolean): Sample {
  const { model } = input;
  const analysed = input.analysed.filter(({ row }) => isIn(row.split));
  const weigh = (rows: readonly DetectionRow[]): WeighedRow[] =>
    rows.map((row) => ({
      ...row,
      fold: input.foldOf(row.recording),
      weight: row.recording.row.group === 'bird' ? 1 : METHOD.birdFreeWeight,
    }));
  const groupOf = (recordings: readonly AnalyzedRow[], rows: readonly DetectionRow[]): Group => ({
    birds: recordings.filter(({ row, scientificName }) => row.group === 'bird' && scientificName !== null).length,
    rows: weigh(rows),
  });
  const placed = analysed.flatMap((recording) => {
    const occurrence = input.placeOf(recording);
    return occurrence === null ? [] : [{ recording, occurrence }];
  });
  return {
    separate: groupOf(
      analysed,
      analysed.flatMap((recording) => rowsOfRecording(recording, model, null)),
    ),
    atPlaces: groupOf(
      placed.map(({ recording }) => recording),
      placed.flatMap(({ recording, occurrence }) => rowsOfRecording(recording, model, occurrence)),
    ),
    joined: input.joined
      .filter(({ split }) => isIn(split))
      .map(({ seed, evidence, pieces }) => ({
        seed,
        ...groupOf(
          pieces.map(({ recording }) => recording),
          rowsOfJoined(evidence, pieces, model),
        ),
      })),
  };
}

function count({ separate, atPlaces, joined }: Sample, judges: Judges, model: ModelKnowledge): DetectionEvidence['tested'] {
  const countBy = ({ birds, rows }: Group, judge: (row: WeighedRow) => number) => {
    const ofBirds = rows.filter(({ recording }) => recording.row.group === 'bird');
    const judged = ofBirds.map((row): JudgedRow => ({ ...row, confidence: judge(row) }));
    return countDetections(judged, birds, model.manifest.calibration.words);
  };
  const all = { birds: 0, rows: joined.flatMap(({ rows }) => rows) };
  const { birds: _, found: __, ...joinedTogether } = countBy(all, judges.withoutPlace);
  return {
    separate: countBy(separate, judges.withoutPlace),
    atPlaces: countBy(atPlaces, judges.withPlace),
    joined: joined.map((group) => ({ seed: group.seed, ...countBy(group, judges.withoutPlace) })),
    joinedTogether,
  };
}

function fit(rows: readonly WeighedRow[]): DetectionCoefficients {
  const fitted = fitLogistic(
    rows.map(({ inputs, right, weight }) => ({ inputs: numbersOf(inputs), right, weight })),
    METHOD.penalty,
  );
  const [logit = 0, shortPassage = 0, passage = 0, bias = 0] = fitted.map((value) => Number(value.toFixed(DECIMALS)));
  return { logit, shortPassage, passage, bias };
}

function judgeOutOfFold(rows: readonly WeighedRow[]): (row: WeighedRow) => number {
  const fits = new Map<number, DetectionCoefficients>();
  return ({ fold, inputs }) => {
    const coefficients = fits.get(fold) ?? fit(rows.filter((row) => row.fold !== fold));
    fits.set(fold, coefficients);
    return confidenceOf(coefficients, inputs);
  };
}

const numbersOf = ({ logit, shortPassage, passage }: DetectionInputs): number[] => [logit, shortPassage, passage];

const confidenceOf = ({ logit, shortPassage, passage, bias }: DetectionCoefficients, inputs: DetectionInputs): number =>
  chanceOf([logit, shortPassage, passage, bias], numbersOf(inputs));
