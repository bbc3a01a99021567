import type { ConfidenceEvidence } from '@chiffchaff/contract';
import { type AnswerConditions, conclude, type ModelKnowledge } from '@chiffchaff/recognizer';
import type { AnalyzedRow } from '../../evaluate/analyze-rows.ts';
import { createChance, pickByWeight } from '../../harness/random.ts';
import { type CountedAnswer, countWords } from '../count-evidence.ts';
import type { SampleZone } from './sample-zones.ts';

type PlacesEvidence = NonNullable<ConfidenceEvidence['places']>;
type PlaceRow = PlacesEvidence['rows'][number];

/** Each recording is tried in this many random zones. */
const SEEDS = [1, 2, 3] as const;
/** A species lives where its occurrence reaches this, as for its regions … */
const LIVES_AT = 0.05;
/** … and does not live where it is below this, which a prediction that names it has to say. */
const ELSEWHERE_BELOW = 0.003;

export interface CountPlacesInput {
  readonly model: ModelKnowledge;
  /** recordings of birds */
  readonly analysed: readonly AnalyzedRow[];
  readonly zones: readonly SampleZone[];
  /** null: all */
  readonly split: string | null;
}

interface NamingOutcome extends CountedAnswer {
  /** whether a named bird that does not live there was named with its region */
  readonly elsewhere: 'said' | 'unsaid' | null;
}

/**
 * Counts how much knowing the place improves answers: with none, in a town, in its time zone as if stated and as assumed, and in a zone
 * where the bird does not live. Simulated: the table of recordings does not say where they were made, so each is placed where its bird
 * occurs according to the occurrence model, more often where more people live.
 */
export function countPlaces({ model, analysed, zones, split }: CountPlacesInput): PlacesEvidence {
  const told = new Map<PlaceRow['place'], NamingOutcome[]>();
  const { words } = model.manifest.calibration;
  const indexOf = new Map(model.species.labels.map(({ scientificName, index }) => [scientificName, index]));
  let recordings = 0;
  for (const recording of analysed) {
    const label = indexOf.get(recording.scientificName ?? '') ?? -1;
    if (label < 0 || (split !== null && recording.row.split !== split)) continue;
    const at = (occurrence: Float32Array): number => occurrence[label] ?? 0;
    const homes = zones.filter(({ occurrence }) => at(occurrence) >= LIVES_AT);
    const others = zones.filter(({ occurrence }) => at(occurrence) < ELSEWHERE_BELOW);
    const none = answerOf(recording, { occurrence: null }, model);
    for (const seed of SEEDS) {
      const chance = createChance(seed * 100_000 + recordings);
      const home = pickByWeight(homes, populationOf, chance.next());
      const other = pickByWeight(others, populationOf, chance.next());
      if (home === undefined || other === undefined) continue;
      const towns = home.towns.filter(({ occurrence }) => at(occurrence) >= LIVES_AT);
      const town = pickByWeight(towns, populationOf, chance.next());
      if (town === undefined) continue;
      const tell = (place: PlaceRow['place'], answer: typeof none, whereabouts: Float32Array) => {
        const elsewhere =
          answer.label === null || answer.certainty < words.perhaps || (whereabouts[answer.label] ?? 0) >= ELSEWHERE_BELOW;
        told.set(place, [
          ...(told.get(place) ?? []),
          { ...answer, elsewhere: elsewhere ? null : answer.isRegionSaid ? 'said' : 'unsaid' },
        ]);
      };
      tell('none', none, home.occurrence);
      tell('town', answerOf(recording, town, model), town.occurrence);
      tell('zoneStated', answerOf(recording, home, model), home.occurrence);
      tell('zoneAssumed', answerOf(recording, { ...home, isAssumed: true }, model), home.occurrence);
      tell('wrongZoneStated', answerOf(recording, other, model), other.occurrence);
      tell('wrongZoneAssumed', answerOf(recording, { ...other, isAssumed: true }, model), other.occurrence);
    }
    recordings += 1;
  }
  return {
    simulated: true,
    split,
    seeds: [...SEEDS],
    livesAt: LIVES_AT,
    rows: [...told].map(([place, answers]) => ({
      place,
      answers: answers.length,
      firstRight: answers.filter(({ right }) => right).length,
      elsewhereUnsaid: answers.filter(({ elsewhere }) => elsewhere === 'unsaid').length,
      elsewhereSaid: answers.filter(({ elsewhere }) => elsewhere === 'said').length,
      words: countWords(answers, words),
    })),
  };
}

/** Only the first bird is needed; the minimum score suppresses detections. */
const FIRST_ONLY = { top: 1, minScore: 1 } as const;

function answerOf(recording: AnalyzedRow, { occurrence, isAssumed = false }: AnswerConditions, model: ModelKnowledge) {
  const [first] = conclude(model, recording.evidence, { ...FIRST_ONLY, occurrence, isAssumed }).candidates;
  return {
    recording: recording.row.file,
    certainty: first?.confidence ?? 0,
    right: first?.scientificName === recording.scientificName,
    label: first?.label ?? null,
    isRegionSaid: first?.assumed === 'elsewhere',
  };
}

const populationOf = ({ population }: { readonly population: number }): number => population;
