import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { createSpeciesNames, type SpeciesNames } from './answer/name-labels.ts';

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
