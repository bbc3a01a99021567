import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import type { ModelFolder } from '@chiffchaff/recognizer/node';
import { type Confusions, confusionsOf } from './answer/confusions.ts';

const evidenceSchema = confidenceEvidenceSchema.pick({ confusions: true }).strip();

/** The confusions counted in tests of the model; none if it comes without readable tests: answers do without. */
export async function readConfusions({ manifest, species, path }: ModelFolder): Promise<Confusions> {
  if (manifest.evidenceFile === undefined) return new Map();
  try {
    const evidence = evidenceSchema.parse(JSON.parse(await readFile(join(path, manifest.evidenceFile), 'utf8')));
    return confusionsOf(species, evidence.confusions);
  } catch {
    return new Map();
  }
}
