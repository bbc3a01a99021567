/** `npm run evaluate -- --scenes SPLIT`: what is found of several birds at once, with, without and at an assumed place. */
import type { Answer, Evidence } from '@chiffchaff/recognizer';
import { type Scene, type SceneBird, scenePlaces } from './draw-scenes.ts';
import { createConfidenceFit } from './fit-confidence.ts';
import { type AlsoThere, birdsAlsoThere, type ClaimState, type HearScenesInput, hearScenes, stateIn } from './hear-scenes.ts';

/** A bird claimed for a scene. */
export interface SceneClaim {
  readonly label: number;
  readonly score: number;
  readonly confidence: number;
  readonly state: ClaimState;
}

/** A detection under one condition. */
export interface JudgedDetection {
  readonly condition: Condition;
  readonly isScene: boolean;
  /** the scene or recording */
  readonly about: string;
  readonly confidence: number;
  readonly state: ClaimState;
}

/** What was claimed for a scene under one condition, and what can be heard in it. */
export interface JudgedScene extends Pick<Scene, 'maker' | 'seconds'> {
  readonly condition: Condition;
  readonly scene: string;
  /** all that were put in, the loudest first */
  readonly birds: readonly (Pick<SceneBird, 'label' | 'file' | 'decibels'> & { readonly isAudible: boolean })[];
  readonly claims: readonly SceneClaim[];
  /** confidence of the loudest bird in its own recording */
  readonly alone: number | null;
}

export const CONDITIONS = ['a place', 'no place', 'an assumed place'] as const;
type Condition = (typeof CONDITIONS)[number];
/** Claims with less are not counted; nor more than this many. */
const LEAST = 0.01;
const MOST = 60;
/** Lowest occurrence of a bird at a place where its recording may be from. */
const EXPECTED = 0.03;

/** @returns the scenes, the detections in them and in the recordings they are made from, and the coefficients that fit both */
export async function tryScenes(input: HearScenesInput) {
  const { occurrence } = input.modelUnderTest;
  // By scene place, then by label: in its week, and over the year as for an assumed place.
  const inWeek = await Promise.all(scenePlaces.map(occurrence));
  const ofYear = await Promise.all(scenePlaces.map((place) => occurrence({ ...place, week: null })));
  const alsoThere = birdsAlsoThere(input);
  const evidenceOf = new Map(input.analysed.map(({ row, evidence }) => [row.file, evidence]));
  const judged: JudgedScene[] = [];
  const detections: JudgedDetection[] = [];
  const fit = createConfidenceFit(input.modelUnderTest);

  /** Tries what is heard under one condition. @param place index of the scene place; null where none fits */
  const claimsUnder = (condition: Condition, heard: Evidence, place: number | null) => {
    const isAssumed = condition === 'an assumed place';
    const at = condition === 'no place' || place === null ? null : ((isAssumed ? ofYear : inWeek)[place] ?? null);
    return input.modelUnderTest.conclude(heard, { occurrence: at, isAssumed, top: MOST });
  };
  const addDetections = (
    found: Answer['detections'],
    { stateOf, ...of }: Omit<JudgedDetection, 'confidence' | 'state'> & { readonly stateOf: (label: number) => ClaimState },
  ): void => {
    const shown = found.filter(({ hidden, kind }) => !hidden && kind === undefined);
    detections.push(...shown.map(({ label, confidence }) => ({ ...of, confidence, state: stateOf(label) })));
  };

  for (const { file, evidence, stateOf, place } of recordingsOf(input, inWeek, alsoThere)) {
    fit.add({ evidence, stateOf, isScene: false }, place === null ? null : (inWeek[place] ?? null));
    for (const condition of place === null ? (['no place'] as const) : CONDITIONS)
      addDetections(claimsUnder(condition, evidence, place).detections, { condition, isScene: false, about: file, stateOf });
  }
  for await (const { scene, evidence, audible, stateOf } of hearScenes(input, inWeek, alsoThere)) {
    fit.add({ evidence, stateOf, isScene: true }, inWeek[scene.place] ?? null);
    for (const condition of CONDITIONS) {
      const [loudest] = scene.birds;
      const itsOwn = evidenceOf.get(loudest?.file ?? '');
      const alone =
        itsOwn && claimsUnder(condition, itsOwn, scene.place).candidates.find(({ label }) => label === loudest?.label);
      const { candidates, detections: found } = claimsUnder(condition, evidence, scene.place);
      addDetections(found, { condition, isScene: true, about: scene.name, stateOf });
      judged.push({
        condition,
        scene: scene.name,
        maker: scene.maker,
        seconds: scene.seconds,
        birds: scene.birds.map((bird) => ({
          ...{ label: bird.label, file: bird.file, decibels: bird.decibels },
          isAudible: audible.includes(bird),
        })),
        alone: alone?.confidence ?? null,
        claims: candidates
          .filter(({ score, confidence }) => Math.max(score, confidence) >= LEAST)
          .map(({ label, score, confidence }) => ({ label, score, confidence, state: stateOf(label) })),
      });
    }
  }
  return { scenes: judged, detections, coefficients: fit.coefficients() };
}

/** The recordings of one bird each, at the place of scenes where that is likeliest, if it is expected there. */
function recordingsOf(input: HearScenesInput, occurrences: readonly Float32Array[], alsoThere: AlsoThere) {
  return input.analysed.flatMap(({ row, scientificName, evidence }) => {
    const own = input.modelUnderTest.birds.get(scientificName ?? '');
    if (own === undefined) return [];
    const heard = [{ label: own, file: row.file }];
    const stateOf = (label: number): ClaimState => stateIn(heard, new Set([own]), alsoThere, label);
    const chances = occurrences.map((occurrence) => occurrence[own] ?? 0);
    const highest = Math.max(...chances);
    return [{ file: row.file, evidence, stateOf, place: highest >= EXPECTED ? chances.indexOf(highest) : null }];
  });
}
