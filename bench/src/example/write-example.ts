import { writeFile } from 'node:fs/promises';
import type { Config } from '@chiffchaff/cli';
import { drawExample, evidencePath, predictExample, readEvidence, spectrogramPath, storedPath } from './example.ts';

/** Writes the stored files of the landing page's example: predictions, counts of words and spectrogram. @returns the English verdict */
export async function writeExample(config: Config, signal: AbortSignal): Promise<string> {
  const predictions = await predictExample(config, signal);
  await writeFile(storedPath, `${JSON.stringify(predictions, null, 2)}\n`);
  await writeFile(evidencePath, `${JSON.stringify((await readEvidence()).tested.words, null, 2)}\n`);
  await writeFile(spectrogramPath, await drawExample(config, signal));
  return predictions.en.verdict.sentence;
}
