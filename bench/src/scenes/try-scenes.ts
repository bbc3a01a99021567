/** `npm run evaluate -- --scenes SPLIT`: what is found of several birds at once, with, without and at an assumed place. */
import type { Evidence } from '@chiffchaff/recognizer';
import { createFurtherBirdFit } from './fit-further-birds.ts';
import type { ClaimState, HearScenesInput } from './hear-scenes.ts';
import { birdsAlsoThere, hearScenes, occurrencesOfScenes } from './hear-scenes.ts';

/** A bird claimed for a scene. */
export interface SceneClaim {
  readonly label: number;
  readonly score: number;
  readonly confidence: number;
  readonly state: ClaimState;
}

/** A bird put into a scene. */
export interface SceneBirdHeard {
  readonly label: number;
  readonly file: string;
  readonly decibels: number;
  readonly isAudible: boolean;
}

/** What was claimed for a scene under one condition, and what can be heard in it. */
export interface JudgedScene {
  readonly condition: (typeof CONDITIONS)[number];
  readonly scene: string;
  readonly maker: 'excerpts' | 'overlay';
  readonly seconds: number;
  /** all that were put in, the loudest first */
  readonly birds: readonly SceneBirdHeard[];
  readonly claims: readonly SceneClaim[];
  /** confidence of the loudest bird in its own recording */
  readonly alone: number | null;
}

export const CONDITIONS = ['a place', 'no place', 'an assumed place'] as const;
/** Claims with less are not counted; nor more than this many. */
const LEAST = 0.01;
const MOST = 60;
/** Lowest occurrence of a bird at a place where its recording may be from. */
const EXPECTED = 0.03;

/** @returns the scenes, and the coefficients of further birds that fit them and the recordings they are made from */
export async function tryScenes(input: HearScenesInput) {
  const { inWeek, ofYear } = await occurrencesOfScenes(input.modelUnderTest);
  const evidenceOf = new Map(input.analysed.map(({ row, evidence }) => [row.file, evidence]));
  const judged: JudgedScene[] = [];
  const fit = createFurtherBirdFit(input.modelUnderTest);
  addRecordings(fit, input, inWeek);
  for await (const { scene, evidence, audible, stateOf } of hearScenes(input)) {
    fit.add({ evidence, stateOf, isScene: true }, inWeek[scene.place] ?? null);
    for (const condition of CONDITIONS) {
      const isAssumed = condition === 'an assumed place';
      const at = condition === 'no place' ? null : ((isAssumed ? ofYear : inWeek)[scene.place] ?? null);
      const claimedIn = (heard: Evidence) =>
        input.modelUnderTest.conclude(heard, { occurrence: at, isAssumed, top: MOST }).candidates;
      const [loudest] = scene.birds;
      const itsOwn = evidenceOf.get(loudest?.file ?? '');
      const alone = itsOwn && claimedIn(itsOwn).find(({ label }) => label === loudest?.label)?.confidence;
      judged.push({
        condition,
        scene: scene.name,
        maker: scene.maker,
        seconds: scene.seconds,
        birds: scene.birds.map((bird) => ({
          ...{ label: bird.label, file: bird.file, decibels: bird.decibels },
          isAudible: audible.includes(bird),
        })),
        alone: alone ?? null,
        claims: claimedIn(evidence)
          .filter(({ score, confidence }) => Math.max(score, confidence) >= LEAST)
          .map(({ label, score, confidence }) => ({ label, score, confidence, state: stateOf(label) })),
      });
    }
  }
  return { scenes: judged, furtherBirds: fit.coefficients() };
}

/** A recording of one bird is tried at the place of scenes where that is likeliest, if it is expected there. */
function addRecordings(
  fit: ReturnType<typeof createFurtherBirdFit>,
  input: HearScenesInput,
  occurrences: readonly Float32Array[],
): void {
  const alsoThere = birdsAlsoThere(input);
  for (const { row, scientificName, evidence } of input.analysed) {
    const own = input.modelUnderTest.birds.get(scientificName ?? '');
    if (own === undefined) continue;
    const stateOf = (label: number): ClaimState => {
      if (label === own) return 'right';
      return alsoThere.get(row.file)?.includes(label) ? 'unknown' : 'wrong';
    };
    const [likeliest] = occurrences.toSorted((a, b) => (b[own] ?? 0) - (a[own] ?? 0));
    const isExpected = (likeliest?.[own] ?? 0) >= EXPECTED;
    fit.add({ evidence, stateOf, isScene: false }, isExpected && likeliest ? likeliest : null);
  }
}
