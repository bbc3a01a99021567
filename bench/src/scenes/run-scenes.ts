import { readFile } from 'node:fs/promises';
import { InputError } from '@chiffchaff/cli';
import type { Calibration } from '@chiffchaff/recognizer';
import type { HearScenesInput } from './hear-scenes.ts';
import { compareScenes, workOutDetections, workOutSceneFigures } from './scene-figures.ts';
import { CONDITIONS, type JudgedScene, tryScenes } from './try-scenes.ts';

/**
 * Tries the scenes of one seed.
 * @param before file of an earlier run with the same seed to compare with
 * @returns the figures, with the coefficients that fit these scenes and recordings, and the scenes that they were worked out from
 */
export async function runScenes(input: HearScenesInput, words: Calibration['words'], before?: string) {
  const earlier = before === undefined ? null : await readScenes(before);
  const { scenes, detections, coefficients } = await tryScenes(input);
  const sets = CONDITIONS.map((condition) => {
    const isUnder = (scene: JudgedScene) => scene.condition === condition;
    return {
      condition,
      figures: workOutSceneFigures(scenes.filter(isUnder), words),
      detections: workOutDetections(
        detections.filter((each) => each.condition === condition),
        words,
      ),
      gain: earlier && compareScenes(earlier.filter(isUnder), scenes.filter(isUnder), input.seed),
    };
  });
  return { figures: { seed: input.seed, sets, coefficients }, scenes };
}

/** @throws InputError when the file is not what a run with `--scenes` wrote */
async function readScenes(file: string): Promise<readonly JudgedScene[]> {
  try {
    const { scenes } = JSON.parse(await readFile(file, 'utf8')) as { readonly scenes: readonly JudgedScene[] };
    if (Array.isArray(scenes)) return scenes;
  } catch (cause) {
    throw new InputError(`${file} can't be read. --before needs what an earlier run with --scenes saved.`, { cause });
  }
  throw new InputError(`${file} holds no scenes. --before needs what an earlier run with --scenes saved.`);
}
