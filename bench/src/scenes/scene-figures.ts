/** Figures of merit for scenes with several birds. Shares are 0–1; null where nothing was measured. */
import type { Calibration } from '@chiffchaff/recognizer';
import { countWords } from '../calibrate/count-evidence.ts';
import { calibrationError, share, surestWith } from '../evaluate/metrics.ts';
import { createChance } from '../harness/random.ts';
import type { JudgedDetection, JudgedScene, SceneClaim } from './try-scenes.ts';

type Words = Calibration['words'];
type Certainty = 'score' | 'confidence';

/** Wrong names a recording that the confidence of the first version gave in a chorus; how many birds are found with as many? */
const WRONG_NAMES = 0.14;
/** Bounds of the levels below the loudest bird, in decibels. */
const LEVELS = [0, -5, -10, -15, -20] as const;
const RESAMPLES = 1000;
const BINS = 10;

const hasSeveral = ({ birds }: JudgedScene): boolean => birds.length >= 2 && birds.length <= 6;
const isChorus = (scene: JudgedScene): boolean => scene.maker === 'excerpts' && hasSeveral(scene);
const audibleIn = ({ birds }: JudgedScene) => birds.filter(({ isAudible }) => isAudible);

export const SEVERAL_BIRDS = '2 to 6 birds';
/** Groups of scenes that are counted together. */
const groups = {
  [SEVERAL_BIRDS]: isChorus,
  'whole recordings overlaid': ({ maker }: JudgedScene) => maker === 'overlay',
  'one bird': ({ birds }: JudgedScene) => birds.length === 1,
};

/** @param scenes under one condition */
export function workOutSceneFigures(scenes: readonly JudgedScene[], words: Words) {
  const chorus = scenes.filter(isChorus);
  const empty = scenes.filter(({ birds }) => birds.length === 0);
  return {
    groups: Object.entries(groups).map(([group, isIn]) => ({ group, ...workOutGroup(scenes.filter(isIn), words) })),
    byBirds: [1, 2, 3, 4, 5, 6, 7].map((birds) => ({
      birds,
      found: foundFrom(
        scenes.filter((scene) => scene.maker === 'excerpts' && scene.birds.length === birds),
        words.likely,
      ),
    })),
    byLevel: LEVELS.slice(1).map((to, index) => {
      const from = LEVELS[index] ?? 0;
      return { from, to, found: foundFrom(chorus, words.likely, (decibels) => decibels <= from && decibels > to) };
    }),
    overlay: countMoved(scenes, words),
    /** Birds named where there is none. */
    empty: {
      hours: empty.reduce((sum, { seconds }) => sum + seconds, 0) / 3600,
      named: [words.perhaps, words.likely, words.veryLikely].map((from) => ({
        from,
        birds: empty.flatMap(({ claims }) => claims.filter(({ confidence, state }) => state === 'wrong' && confidence >= from))
          .length,
      })),
    },
  };
}

/** Overlays of birds that are all quieter by 6 dB or more, and in how many the word for the loudest is more than a step from alone. */
function countMoved(scenes: readonly JudgedScene[], words: Words) {
  const stepOf = (confidence: number): number => Object.values(words).filter((least) => confidence >= least).length;
  const quieter = scenes.filter(
    ({ maker, birds }) => maker === 'overlay' && birds.slice(1).every(({ decibels }) => decibels <= -6),
  );
  const moved = quieter.filter(({ claims, birds: [loudest], alone }) => {
    const { confidence = 0 } = claims.find(({ label }) => label === loudest?.label) ?? {};
    return Math.abs(stepOf(confidence) - stepOf(alone ?? 0)) > 1;
  });
  return { of: quieter.length, moved: moved.length };
}

/** The share of the audible birds, of a level that counts, whose confidence is at least this. */
function foundFrom(scenes: readonly JudgedScene[], least: number, counts: (decibels: number) => boolean = () => true) {
  const birds = scenes.flatMap((scene) =>
    audibleIn(scene)
      .filter(({ decibels }) => counts(decibels))
      .map(({ label }) => scene.claims.find((claim) => claim.label === label)),
  );
  return share(birds, (claim) => claim !== undefined && claim.confidence >= least);
}

function workOutGroup(scenes: readonly JudgedScene[], words: Words) {
  const claims = scenes.flatMap((scene) => scene.claims);
  const known = knownClaims(scenes);
  const toFind = scenes.flatMap(audibleIn).length;
  const found = claims.filter(({ confidence }) => confidence >= words.likely);
  const count = (state: SceneClaim['state']) => found.filter((claim) => claim.state === state).length;
  const shareOf = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    scenes: scenes.length,
    toFind,
    ofAudible: { score: foundWith(known, toFind, 'score'), confidence: foundWith(known, toFind, 'confidence') },
    withWrongNames: foundWithWrongNames(known, toFind, WRONG_NAMES * scenes.length),
    found: {
      precision: shareOf(count('right'), count('right') + count('wrong')),
      /** if all unlabelled birds are wrong, and if all are right */
      bounds: [shareOf(count('right'), found.length), shareOf(found.length - count('wrong'), found.length)],
      share: shareOf(count('right'), toFind),
      wrongPerScene: shareOf(count('wrong'), scenes.length),
    },
    words: countWords(
      known.map(({ confidence, right, about }) => ({ certainty: confidence, right, recording: about })),
      words,
    ),
  };
}

/** How well the confidence of detections holds, in scenes and in recordings of one bird. @param detections under one condition */
export function workOutDetections(detections: readonly JudgedDetection[], words: Words) {
  return [true, false].map((isScene) => {
    const known = detections
      .filter((each) => each.isScene === isScene && each.state !== 'unknown')
      .map(({ confidence, state, about }) => ({ certainty: confidence, right: state === 'right', recording: about }));
    return { isScene, of: known.length, calibrationError: calibrationError(known, BINS), words: countWords(known, words) };
  });
}

interface KnownClaim extends SceneClaim {
  readonly right: boolean;
  readonly weight: number;
  /** its recording, or for a wrong one its scene */
  readonly about: string;
}

/** @param weightOf how much each source recording counts */
function knownClaims(scenes: readonly JudgedScene[], weightOf: (file: string) => number = () => 1): KnownClaim[] {
  return scenes.flatMap(({ scene, birds, claims }) => {
    // A name that is wrong is owed to all that is in the scene.
    const ofScene = birds.reduce((sum, { file }) => sum + weightOf(file) / birds.length, 0);
    return claims
      .filter(({ state }) => state !== 'unknown')
      .map((claim) => {
        const file = birds.find(({ label, isAudible }) => isAudible && label === claim.label)?.file;
        const weight = file === undefined ? ofScene : weightOf(file);
        return { ...claim, right: claim.state === 'right', weight, about: file ?? scene };
      });
  });
}

/** The largest share of the birds that can be named with 90 % and with 95 % of the names right. */
function foundWith(known: readonly KnownClaim[], toFind: number, by: Certainty) {
  const claims = known.map((claim) => ({ ...claim, certainty: claim[by] }));
  const at = (precision: number): number =>
    surestWith(claims, precision).reduce((sum, { right, weight }) => sum + (right ? weight : 0), 0) / toFind;
  return { at90: at(0.9), at95: at(0.95) };
}

function foundWithWrongNames(known: readonly KnownClaim[], toFind: number, most: number): number {
  let [right, wrong] = [0, 0];
  for (const claim of known.toSorted((a, b) => b.confidence - a.confidence)) {
    if (claim.right) right += 1;
    else wrong += 1;
    if (wrong > most) break;
  }
  return right / toFind;
}

/** By how much more is found than before, in the same scenes, with 90 % intervals from resampling the source recordings. */
export function compareScenes(before: readonly JudgedScene[], now: readonly JudgedScene[], seed: number) {
  const chance = createChance(seed);
  const [chorusBefore, chorus] = [before, now].map((scenes) => scenes.filter(hasSeveral));
  const files = [...new Set((chorus ?? []).flatMap(({ birds }) => birds.map(({ file }) => file)))];
  const gain = (weightOf?: (file: string) => number) => {
    const of = (scenes: readonly JudgedScene[] = []) => {
      const toFind = scenes.flatMap(audibleIn).reduce((sum, { file }) => sum + (weightOf?.(file) ?? 1), 0);
      return foundWith(knownClaims(scenes, weightOf), toFind, 'confidence');
    };
    const [old, found] = [of(chorusBefore), of(chorus)];
    return { at90: found.at90 - old.at90, at95: found.at95 - old.at95 };
  };
  const resampled = Array.from({ length: RESAMPLES }, () => {
    const weights = new Map<string, number>();
    for (const _ of files) {
      const file = chance.pick(files) ?? '';
      weights.set(file, (weights.get(file) ?? 0) + 1);
    }
    return gain((file) => weights.get(file) ?? 0);
  });
  const whole = gain();
  const intervalOf = (at: 'at90' | 'at95') => {
    const sorted = resampled.map((each) => each[at]).sort((a, b) => a - b);
    return { gain: whole[at], low: sorted[Math.floor(0.05 * RESAMPLES)], high: sorted[Math.floor(0.95 * RESAMPLES)] };
  };
  return { at90: intervalOf('at90'), at95: intervalOf('at95') };
}
