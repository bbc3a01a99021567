import { access, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hashedFiles, type ModelManifest, modelManifestSchema } from '@chiffchaff/recognizer';
import { findChangedFile } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import { ModelError } from '../errors.ts';

/** An installed model: one folder that holds everything the recogniser and the analysis need. */
export interface ModelFolder {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

export const MANIFEST_FILE = 'manifest.json';

/** The folder in which a model is installed. */
export const modelFolderOf = (dataDir: string, modelId: string): string => resolve(dataDir, 'models', modelId);

/**
 * Reads and validates a model folder's manifest, and checks that every file it names exists. Does not check hashes: installing does,
 * and `verifyModelFolder` can do it again.
 *
 * Throws `ModelError`: `MODEL_NOT_INSTALLED` if there is no manifest, `MODEL_DAMAGED` if something in the folder is wrong.
 *
 * @example const { manifest } = await readModelFolder('data/models/birdnet-v2.4');
 */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const absolute = resolve(folder);
  const manifest = parseManifest(absolute, await readManifest(absolute));
  for (const name of hashedFiles(manifest).keys()) {
    await access(join(absolute, name)).catch((cause: unknown) => {
      throw damaged(absolute, `${name} is missing`, cause);
    });
  }
  return { folder: absolute, manifest };
}

/** Checks the hashes of all files. Throws `ModelError` `MODEL_DAMAGED`, naming the first mismatch. */
export async function verifyModelFolder({ folder, manifest }: ModelFolder, signal?: AbortSignal): Promise<void> {
  const changed = await findChangedFile(folder, hashedFiles(manifest), signal);
  if (changed !== null) throw damaged(folder, `${changed} has changed since it was installed`);
}

async function readManifest(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, MANIFEST_FILE), 'utf8');
  } catch (cause) {
    throw new ModelError(
      'MODEL_NOT_INSTALLED',
      `Opening the model: there is no model in ${folder}. Run "npm run model -- install".`,
      { cause },
    );
  }
}

function parseManifest(folder: string, text: string): ModelManifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw damaged(folder, `${MANIFEST_FILE} is not valid JSON`, cause);
  }
  const parsed = modelManifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw damaged(folder, `${MANIFEST_FILE} is not a valid manifest (${z.prettifyError(parsed.error)})`, parsed.error);
}

const damaged = (folder: string, what: string, cause?: unknown): ModelError =>
  new ModelError(
    'MODEL_DAMAGED',
    `Opening the model: ${what} in ${folder}. Run "npm run model -- install" to install it again.`,
    { cause },
  );
