import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { type Answerer, createAnswerer } from './answer/answerer.ts';
import { type Confusions, confusionsOf } from './answer/confusions.ts';
import { createSpeciesNames, type SpeciesNames } from './answer/name-labels.ts';

/** What words answers with the tables in a model's folder. */
export const openAnswerer = async (model: ModelFolder): Promise<Answerer> =>
  createAnswerer(model, await openSpeciesNames(model), await readConfusions(model));

const evidenceSchema = confidenceEvidenceSchema.pick({ confusions: true }).strip();

/** The confusions counted in tests of the model; none if it comes without readable tests: answers do without. */
async function readConfusions({ manifest, species, path }: ModelFolder): Promise<Confusions> {
  if (manifest.evidenceFile === undefined) return new Map();
  try {
    const evidence = evidenceSchema.parse(JSON.parse(await readFile(join(path, manifest.evidenceFile), 'utf8')));
    return confusionsOf(species, evidence.confusions);
  } catch {
    return new Map();
  }
}

const ENDING = '.txt';

/** Lists the tables in the model folder; each is read when it is first needed. */
export async function openSpeciesNames(model: ModelFolder): Promise<SpeciesNames> {
  const { namesFolder } = model.manifest.labels;
  if (namesFolder === undefined) return createSpeciesNames(model, [], () => Promise.resolve(''));
  const folder = join(model.path, namesFolder);
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING));
  const codes = files.map((file) => file.slice(0, -ENDING.length));
  return createSpeciesNames(model, codes, (code) => readFile(join(folder, code + ENDING), 'utf8'));
}
