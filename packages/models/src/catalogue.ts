import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertBirdnetAudio, convertBirdnetOccurrence, convertBirdnetWebAudio, type WebModel } from './birdnet/convert.ts';
import type { OnnxModel } from './birdnet/onnx-writer.ts';
import { ModelError } from './errors.ts';
import { birdnetSources, type ModelSources } from './sources.ts';

/** How a model is built: where its files come from and how they are converted. Its description folder says what it is. */
export interface ModelRecipe {
  readonly sources: ModelSources;
  /** Path of the labels file in the description folder. */
  readonly labels: string;
  readonly convertAudio: (file: Uint8Array) => OnnxModel;
  readonly convertWebAudio: (file: Uint8Array) => WebModel;
  readonly convertOccurrence: (file: Uint8Array) => OnnxModel;
}

const recipes: Readonly<Record<string, ModelRecipe>> = {
  'birdnet-v2.4': {
    sources: birdnetSources,
    labels: 'names/en_us.txt',
    convertAudio: convertBirdnetAudio,
    convertWebAudio: convertBirdnetWebAudio,
    convertOccurrence: convertBirdnetOccurrence,
  },
};

export const modelIds: readonly string[] = Object.keys(recipes);

/** The project's folder of model descriptions: manifest, calibration and names, no weights. */
export const descriptionsDirectory = fileURLToPath(new URL('../../../models', import.meta.url));

/** Names in eBird of 2025 by those of BirdNET V2.4, where they are others. */
export async function readChangedNames(): Promise<ReadonlyMap<string, string[]>> {
  const file = join(descriptionsDirectory, 'birdnet-v2.4', 'ebird-2025.json');
  return new Map(Object.entries(JSON.parse(await readFile(file, 'utf8')).birds));
}

/** Throws `ModelError` `MODEL_UNKNOWN`. */
export function recipeOf(modelId: string): ModelRecipe {
  const recipe = Object.hasOwn(recipes, modelId) ? recipes[modelId] : undefined;
  if (recipe !== undefined) return recipe;
  throw new ModelError(
    'MODEL_UNKNOWN',
    `Choosing the model: there is no model "${modelId}". Set MODEL_ID to one of these: ${modelIds.join(', ')}.`,
  );
}
