import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecognizerError } from '../errors.ts';
import { type ModelKnowledge, readSpeciesTable } from '../model/labels.ts';
import { modelManifestSchema } from '../model/manifest.ts';

/** A model folder whose small files have been read; the graphs are loaded by the workers. */
export interface ModelFolder extends ModelKnowledge {
  readonly path: string;
}

/**
 * Reads `manifest.json`, the labels and the list of non-birds. Does not check hashes; installing does.
 *
 * @throws RecognizerError `MODEL_UNREADABLE` if a file is missing, `MODEL_MISMATCH` if the files do not match
 */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  const parsed = modelManifestSchema.safeParse(parseJson(await readText(path, 'manifest.json')));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const found = issue ? `manifest.json with ${issue.path.join('.')}: ${issue.message}` : 'manifest.json of another form';
    throw new RecognizerError('MODEL_MISMATCH', { found, expected: 'a model manifest' }, { cause: parsed.error });
  }
  const manifest = parsed.data;
  const [labels, nonBirds] = await Promise.all([
    readText(path, manifest.labels.file),
    readText(path, manifest.labels.nonBirdsFile),
  ]);
  return { path, manifest, species: readSpeciesTable({ labels, nonBirds, manifest }) };
}

async function readText(folder: string, file: string): Promise<string> {
  try {
    return await readFile(join(folder, file), 'utf8');
  } catch (cause) {
    throw new RecognizerError('MODEL_UNREADABLE', { file }, { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RecognizerError(
      'MODEL_MISMATCH',
      { found: 'manifest.json that is no JSON', expected: 'a model manifest' },
      { cause },
    );
  }
}
