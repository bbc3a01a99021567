import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hashedFiles, MANIFEST_FILE, type ModelManifest, RecognizerError } from '@chiffchaff/recognizer';
import { findChangedFile, readManifest } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import { ModelError } from '../errors.ts';

/** An installed model: one folder that holds everything the recogniser and the analysis need. */
export interface ModelFolder {
  readonly folder: string;
  readonly manifest: ModelManifest;
}

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
  const manifest = await readManifest(absolute).catch((error: unknown) => {
    throw manifestError(absolute, error);
  });
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

function manifestError(folder: string, error: unknown): unknown {
  if (!(error instanceof RecognizerError)) return error;
  const { code, cause } = error;
  if (code === 'MODEL_UNREADABLE') {
    const message = `Opening the model: there is no model in ${folder}. Run "npm run model -- install".`;
    return new ModelError('MODEL_NOT_INSTALLED', message, { cause });
  }
  const fault = cause instanceof z.ZodError ? `is not a valid manifest (${z.prettifyError(cause)})` : 'is not valid JSON';
  return damaged(folder, `${MANIFEST_FILE} ${fault}`, cause);
}

const damaged = (folder: string, what: string, cause?: unknown): ModelError =>
  new ModelError(
    'MODEL_DAMAGED',
    `Opening the model: ${what} in ${folder}. Run "npm run model -- install" to install it again.`,
    { cause },
  );
