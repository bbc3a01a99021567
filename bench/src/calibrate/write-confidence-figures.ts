/** `node bench/src/calibrate/write-confidence-figures.ts` writes the confidence's figures into docs/accuracy.md and the model card. */
import { readFileSync, writeFileSync } from 'node:fs';
import { confidenceEvidenceSchema } from '@chiffchaff/contract';
import { confidenceFigures, placeFigures, putFigures, wordFigures } from './confidence-figures.ts';

const repository = new URL('../../../', import.meta.url);
const model = new URL('models/birdnet-v2.4/', repository);
const evidence = confidenceEvidenceSchema.parse(JSON.parse(readFileSync(new URL('confidence-evidence.json', model), 'utf8')));
const accuracy = new URL('docs/accuracy.md', repository);
const put = (page: URL, name: string, figures: string) =>
  writeFileSync(page, putFigures(readFileSync(page, 'utf8'), name, figures));
for (const page of [accuracy, new URL('MODEL_CARD.md', model)]) put(page, 'confidence figures', confidenceFigures(evidence));
put(accuracy, 'word figures', wordFigures(evidence));
put(accuracy, 'place figures', placeFigures(evidence));
