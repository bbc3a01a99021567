import { readFile } from 'node:fs/promises';
import { InputError } from '@chiffchaff/cli';
import type { WordEvidence } from '@chiffchaff/contract';
import type { Calibration } from '@chiffchaff/recognizer';
import type { HearScenesInput } from './hear-scenes.ts';
import { compareScenes, type SceneFigures, workOutDetections, workOutSceneFigures } from './scene-figures.ts';
import { CONDITIONS, type JudgedScene, tryScenes } from './try-scenes.ts';

/**
 * Tries the scenes of one seed.
 * @param before file of an earlier run with the same seed to compare with; null for none
 * @returns the figures as tables, and everything that they were worked out from
 */
export async function runScenes(input: HearScenesInput, words: Calibration['words'], before: string | null) {
  const earlier = before === null ? null : await readScenes(before);
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
  const tables = sets.map((set) => report(set.condition, set.figures, set.detections, set.gain)).join('\n');
  const text = `${tables}\nCoefficients that fit these scenes and recordings: ${JSON.stringify(coefficients)}\n`;
  return { text, json: { seed: input.seed, sets, coefficients, scenes } };
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

function report(
  condition: string,
  { groups, byBirds, byLevel, overlay, empty }: SceneFigures,
  detections: ReturnType<typeof workOutDetections>,
  gain: ReturnType<typeof compareScenes> | null,
) {
  const row = (name: string, cell: (group: SceneFigures['groups'][number]) => string) =>
    `| ${[name, ...groups.map(cell)].join(' | ')} |`;
  const words = groups[0]?.words.map(({ word }, index) =>
    row(`right when it says ${word}`, (each) => wordCell(each.words[index])),
  );
  const list = (name: string, of: readonly (readonly [string, number | null])[]) =>
    `${name}: ${of.map(([label, found]) => `${label} ${percent(found)}`).join(', ')}.`;
  return `${[
    `| ${[`with ${condition}`, ...groups.map(({ group, toFind }) => `${group}, ${toFind} to find`)].join(' | ')} |`,
    `|---${'|---'.repeat(groups.length)}|`,
    row(
      'found at 90 / 95 % precision, by score',
      ({ ofAudible: { score } }) => `${percent(score.at90)} / ${percent(score.at95)}`,
    ),
    row('… by confidence', ({ ofAudible: { confidence } }) => `${percent(confidence.at90)} / ${percent(confidence.at95)}`),
    row('… with 0.14 wrong names a scene', ({ withWrongNames }) => percent(withWrongNames)),
    row('*found* (≥ 0.7): share of the birds', ({ found }) => percent(found.share)),
    row('… right', ({ found }) => `${percent(found.precision)} (${found.bounds.map(percent).join(' to ')})`),
    row('… wrong a scene', ({ found }) => found.wrongPerScene?.toFixed(3) ?? '–'),
    ...(words ?? []),
    '',
    list(
      '*Found* by number of birds',
      byBirds.map(({ birds, found }) => [`${birds}:`, found] as const),
    ),
    list(
      'By level below the loudest',
      byLevel.map(({ from, to, found }) => [`${-from} to ${-to} dB:`, found] as const),
    ),
    `The word for the loudest bird moves by more than a step in ${overlay.moved} of ${overlay.of} overlays of birds 6 dB quieter or more.`,
    `Named where there is no bird, in ${empty.hours.toFixed(1)} h: ${empty.named.map(({ from, birds }) => `${birds} at ≥ ${from}`).join(', ')}.`,
    ...detections.map(
      ({ isScene, of, calibrationError, words }) =>
        `${of} detections in ${isScene ? 'scenes' : 'recordings of one bird'}: calibration error ${calibrationError?.toFixed(3) ?? '–'}; right when it says ${words.map((word) => `${word.word} ${wordCell(word)}`).join(', ')}.`,
    ),
    ...Object.entries(gain ?? {}).map(
      ([at, { gain, low, high }]) => `Found more than before, ${at}: ${percent(gain)} (${percent(low)} to ${percent(high)}).`,
    ),
  ].join('\n')}\n`;
}

function wordCell(word: WordEvidence | undefined): string {
  if (!word?.share) return '–';
  const { right, of, share } = word;
  return `${right} of ${of}: ${percent(share.value)} (${percent(share.low)} to ${percent(share.high)})`;
}

const percent = (share: number | null | undefined): string => (share == null ? '–' : `${(100 * share).toFixed(1)} %`);
