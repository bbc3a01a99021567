import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecognizerError } from '../errors.ts';
import { type ModelKnowledge, readSpeciesTable } from '../model/labels.ts';
import { hashedFiles, MANIFEST_FILE, type ModelManifest, modelManifestSchema } from '../model/manifest.ts';

/** A model folder whose small files have been read; the graphs are loaded by the workers. */
export interface ModelFolder extends ModelKnowledge {
  readonly path: string;
}

/** One hash for everything that decides a model's answers: its manifest, which has the hashes of all other files. */
export const fingerprintOf = (manifest: ModelManifest): string =>
  createHash('sha256').update(JSON.stringify(manifest)).digest('hex');

/**
 * The first file whose SHA-256 is another than the given one; null if there is none.
 *
 * @throws RecognizerError `MODEL_UNREADABLE`
 */
export async function findChangedFile(
  folder: string,
  hashes: ReadonlyMap<string, string>,
  signal?: AbortSignal,
): Promise<string | null> {
  for (const [file, expected] of hashes) {
    const hash = createHash('sha256');
    try {
      for await (const piece of createReadStream(join(folder, file), { highWaterMark: 262_144, signal })) hash.update(piece);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new RecognizerError('MODEL_UNREADABLE', { file }, { cause });
    }
    if (hash.digest('hex') !== expected) return file;
  }
  return null;
}

/**
 * Opens a model folder in which every file is the one that was installed: a few changed bytes give other birds without any error.
 * Hashing 100 MB takes a tenth of a second.
 *
 * @param fingerprint of the model that it must be
 * @throws RecognizerError `MODEL_DAMAGED`, `MODEL_EXCHANGED`, and as `readModelFolder`
 */
export async function openModelFolder(path: string, fingerprint?: string): Promise<ModelFolder> {
  const manifest = await readManifest(path);
  if (fingerprint !== undefined && fingerprintOf(manifest) !== fingerprint) throw new RecognizerError('MODEL_EXCHANGED', {});
  const file = await findChangedFile(path, hashedFiles(manifest));
  if (file !== null) throw new RecognizerError('MODEL_DAMAGED', { file });
  return withSpecies(path, manifest);
}

/**
 * Reads `manifest.json`, the labels and the list of non-birds. Does not check hashes: `openModelFolder` does.
 *
 * @throws RecognizerError `MODEL_UNREADABLE` if a file is missing, `MODEL_MISMATCH` if the files do not match
 */
export const readModelFolder = async (path: string): Promise<ModelFolder> => withSpecies(path, await readManifest(path));

/** Reads only the manifest. @throws RecognizerError `MODEL_UNREADABLE` if it is missing, `MODEL_MISMATCH` if it is invalid */
export async function readManifest(path: string): Promise<ModelManifest> {
  const parsed = modelManifestSchema.safeParse(parseJson(await readText(path, MANIFEST_FILE)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const found = issue ? `manifest.json with ${issue.path.join('.')}: ${issue.message}` : 'manifest.json of another form';
  throw new RecognizerError('MODEL_MISMATCH', { found, expected: 'a model manifest' }, { cause: parsed.error });
}

async function withSpecies(path: string, manifest: ModelManifest): Promise<ModelFolder> {
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
