import { access } from 'node:fs/promises';
import { modelFolderOf } from '@chiffchaff/models';
import { readConfig } from '../config.ts';
import { findFfmpeg } from '../open-recognizer.ts';

/** For end-to-end tests: what is missing on this machine, as the reason for skipping them, or null. */
export async function missingHere(): Promise<string | null> {
  const config = readConfig(process.env, process.cwd());
  try {
    await access(modelFolderOf(config.dataDir, config.modelId));
  } catch {
    return 'the model is not installed: ./chiffchaff model install';
  }
  try {
    await findFfmpeg(config, new AbortController().signal);
  } catch {
    return 'there is no ffmpeg 5 or later';
  }
  return null;
}
