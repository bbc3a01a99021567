/** `npm run example` writes what is kept of the first page's example: the recogniser's answer and the spectrogram. */

import { writeFile } from 'node:fs/promises';
import { readConfig } from '@chiffchaff/cli';
import { drawExample, evidencePath, predictExample, readEvidence, spectrogramPath, storedPath } from './example.ts';

const config = readConfig(process.env, process.cwd());
const { signal } = new AbortController();
const predictions = await predictExample(config, signal);
await writeFile(storedPath, `${JSON.stringify(predictions, null, 2)}\n`);
await writeFile(evidencePath, `${JSON.stringify((await readEvidence()).tested.words, null, 2)}\n`);
await writeFile(spectrogramPath, await drawExample(config, signal));
process.stdout.write(`${predictions.en?.verdict.sentence}\n`);
