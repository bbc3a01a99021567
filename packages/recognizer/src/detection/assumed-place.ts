import type { Calibration } from '../model/manifest.ts';
import { sigmoid } from './activation.ts';
import type { Confidences } from './confidence/confidence.ts';

/**
 * Works out the confidences at an assumed place. Either the place is right, or the recording is from elsewhere. How likely it is
 * right follows, per passage, from z of the first bird with and without the place, and is the weight in averaging the two
 * confidences. A bird of the place is thus judged as at a stated place, and a passage that sounds like nothing that lives there
 * keeps its confidence without a place.
 *
 * @param there as if the place were stated
 * @param anywhere without a place
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
    // Usually the same passage; then both confidences are known.
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
