import type { Calibration } from '../model/manifest.ts';
import { sigmoid } from './activation.ts';
import type { Confidences } from './confidence/confidence.ts';

/**
 * Confidences at a place that is only assumed. Either it is right, or the recording is from elsewhere; what each passage's first bird is
 * worth in both cases tells how likely the place is right, and the confidences of both are weighed by that. So what sounds like a bird of
 * the place is judged as at a stated one, and a passage that sounds like nothing that lives there keeps its confidence without a place.
 *
 * @param there as if the place were stated
 */
export function confidencesAtAssumedPlace(
  there: Confidences,
  anywhere: Confidences,
  { right, withoutPlace }: NonNullable<Calibration['assumedPlace']>,
): Confidences {
  const chanceIn = (passage: number): number =>
    right === null ? 1 : sigmoid(right.bias + right.z * ((there.firstZ[passage] ?? 0) - (anywhere.firstZ[passage] ?? 0)));
  const weigh = (passage: number, atPlace: number, without: number): number => {
    const chance = chanceIn(passage);
    return Math.max(chance * atPlace + (1 - chance) * without, withoutPlace * without);
  };
  const inPassage = (passage: number, label: number): number =>
    passage < 0 ? 0 : weigh(passage, there.inPassage(passage, label), anywhere.inPassage(passage, label));

  const best = new Float64Array(there.best.length);
  const bestPassage = new Int32Array(there.best.length).fill(-1);
  for (let label = 0; label < best.length; label++) {
    const passage = there.bestPassage[label] ?? -1;
    const other = anywhere.bestPassage[label] ?? -1;
    if (passage < 0 && other < 0) continue;
    // Mostly the same: then both are known.
    const weighed =
      passage === other ? weigh(passage, there.best[label] ?? 0, anywhere.best[label] ?? 0) : inPassage(passage, label);
    const inOther = passage === other ? weighed : inPassage(other, label);
    best[label] = Math.max(weighed, inOther);
    bestPassage[label] = inOther > weighed || passage < 0 ? other : passage;
  }
  return {
    ...there,
    best,
    bestPassage,
    inPassage,
    inRun: (run, isBird) => weigh(anywhere.passageOf(run), there.inRun(run, isBird), anywhere.inRun(run, isBird)),
  };
}
