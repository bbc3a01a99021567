/** Draws scenes from recordings, analyses them, and tells which birds can be heard in each. Called by `try-scenes.ts`. */
import { join } from 'node:path';
import { inOrder } from '@chiffchaff/cli';
import type { Evidence } from '@chiffchaff/recognizer';
import { type AnalyzedRow, secondsOf } from '../evaluate/analyze-rows.ts';
import type { ModelUnderTest } from '../evaluate/open-model-under-test.ts';
import { isBirdFree } from '../evaluate/recordings-table.ts';
import { createChance } from '../harness/random.ts';
import { drawScenes, type Scene, type SceneBird, type Source } from './draw-scenes.ts';
import { renderScene } from './render-scene.ts';

/** Right or wrong; `unknown`: an unlabelled bird of a source, or one that can't be heard. */
export type ClaimState = 'right' | 'wrong' | 'unknown';

export interface HeardScene {
  readonly scene: Scene;
  readonly evidence: Evidence;
  readonly audible: readonly SceneBird[];
  /** whether it is right to name the bird */
  readonly stateOf: (label: number) => ClaimState;
}

/** A bird that scores this much in a recording that is labelled with another may be there too. */
const ALSO_THERE_SCORE = 0.5;
/** Candidates looked at for that. */
const ALSO_THERE = 20;

export interface HearScenesInput {
  readonly analysed: readonly AnalyzedRow[];
  readonly recordingsFolder: string;
  readonly modelUnderTest: ModelUnderTest;
  readonly seed: number;
  readonly atOnce: number;
  readonly signal: AbortSignal;
  readonly onProgress: (fraction: number, doing: string) => void;
}

/** By file: labels of the birds that a recording may hold besides the one it is labelled with. */
export type AlsoThere = ReadonlyMap<string, readonly number[]>;

export function birdsAlsoThere({ analysed, modelUnderTest }: HearScenesInput): AlsoThere {
  return new Map(
    analysed.map(({ row, evidence }) => {
      const { candidates } = modelUnderTest.conclude(evidence, { occurrence: null, top: ALSO_THERE });
      return [row.file, candidates.filter(({ score }) => score >= ALSO_THERE_SCORE).map(({ label }) => label)];
    }),
  );
}

/** The scenes of one seed, one after the other. @param occurrences by scene place, then by label */
export async function* hearScenes(
  { analysed, recordingsFolder, modelUnderTest, seed, atOnce, signal, onProgress }: HearScenesInput,
  occurrences: readonly Float32Array[],
  alsoThere: AlsoThere,
): AsyncGenerator<HeardScene> {
  const sources = analysed.flatMap(({ row, scientificName, evidence }): Source[] => {
    const label = modelUnderTest.birds.get(scientificName ?? '');
    return label === undefined ? [] : [{ file: row.file, label, seconds: secondsOf(evidence) }];
  });
  const backgrounds = analysed.filter(({ row }) => isBirdFree(row)).map(({ row }) => row.file);
  const scenes = drawScenes({ sources, backgrounds, occurrences, chance: createChance(seed) });
  // Each recording is in many scenes, and starting a decoder takes longer than decoding; a split takes up to 3 GB.
  const decoded = new Map<string, Promise<Float32Array>>();
  const decode = (file: string): Promise<Float32Array> => {
    const samples = decoded.get(file) ?? modelUnderTest.decode(join(recordingsFolder, file), signal);
    decoded.set(file, samples);
    return samples;
  };
  const hear = async (scene: Scene): Promise<HeardScene> => {
    signal.throwIfAborted();
    const { samples, audible } = await renderScene(scene, modelUnderTest.sampleRate, decode);
    const evidence = await modelUnderTest.analyzeSamples(samples, signal);
    return {
      scene,
      evidence,
      audible: scene.birds.filter(({ label }) => audible.has(label)),
      stateOf: (label) => stateIn(scene.birds, audible, alsoThere, label),
    };
  };
  let done = 0;
  for await (const heard of inOrder(scenes, atOnce, hear)) {
    done += 1;
    onProgress(done / scenes.length, `scene ${done} of ${scenes.length}`);
    yield heard;
  }
}

/**
 * Whether it is right to name a bird in a scene, or in the recording of one. A background has no birds: what is heard in it is wrong.
 * @param audible labels of the birds that can be heard
 */
export function stateIn(
  birds: readonly Pick<SceneBird, 'label' | 'file'>[],
  audible: ReadonlySet<number>,
  alsoThere: AlsoThere,
  label: number,
): ClaimState {
  if (audible.has(label)) return 'right';
  return birds.some((bird) => bird.label === label || alsoThere.get(bird.file)?.includes(label)) ? 'unknown' : 'wrong';
}
