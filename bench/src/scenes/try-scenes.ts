/** `npm run evaluate -- --scenes SPLIT`: what is found of several birds at once, with, without and at an assumed place. */
import type { Evidence } from '@chiffchaff/recognizer';
import type { ClaimState, HearScenesInput } from './hear-scenes.ts';
import { hearScenes, occurrencesOfScenes } from './hear-scenes.ts';

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

export async function tryScenes(input: HearScenesInput): Promise<JudgedScene[]> {
  const { inWeek, ofYear } = await occurrencesOfScenes(input.modelUnderTest);
  const evidenceOf = new Map(input.analysed.map(({ row, evidence }) => [row.file, evidence]));
  const judged: JudgedScene[] = [];
  for await (const { scene, evidence, audible, stateOf } of hearScenes(input)) {
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
  return judged;
}
