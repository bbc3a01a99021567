import { readFile } from 'node:fs/promises';
import type { ChangedNames } from '@chiffchaff/survey/exports';

/** The names in eBird of 2025 of BirdNET V2.4's birds, where they are others, from the project's description of the model. */
export async function openChangedNames(): Promise<ChangedNames> {
  const file = new URL('../../../models/birdnet-v2.4/ebird-2025.json', import.meta.url);
  return new Map(Object.entries(JSON.parse(await readFile(file, 'utf8')).birds));
}
