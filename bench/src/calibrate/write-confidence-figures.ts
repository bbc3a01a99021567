/** `node bench/src/calibrate/write-confidence-figures.ts` writes the confidence's figures into docs/accuracy.md and the model card. */
import { readFileSync, writeFileSync } from 'node:fs';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { confidenceFigures, putFigures } from './confidence-figures.ts';

const repository = new URL('../../../', import.meta.url);
const model = new URL('models/birdnet-v2.4/', repository);
const evidence = confidenceEvidenceSchema.parse(JSON.parse(readFileSync(new URL('confidence-evidence.json', model), 'utf8')));
for (const page of [new URL('docs/accuracy.md', repository), new URL('MODEL_CARD.md', model)]) {
  writeFileSync(page, putFigures(readFileSync(page, 'utf8'), confidenceFigures(evidence)));
}
