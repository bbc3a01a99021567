import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CONVERTER_VERSION } from '../birdnet/convert.ts';
import type { AudioForm } from '../birdnet/convert-audio.ts';
import { descriptionsDirectory, type ModelRecipe, recipeOf } from '../catalogue.ts';
import { ModelError } from '../errors.ts';
import { obtainModelFiles } from '../sources.ts';
import { buildFromFiles, buildFromInstalled } from './build-folder.ts';
import { type ModelDescription, readDescription } from './description.ts';
import { takeInstallLock } from './install-lock.ts';
import { INSTALLATION_FILE, type Installation, readInstallation, sameGraphs } from './installation.ts';
import { type ModelFolder, modelFolderOf, readModelFolder, verifyModelFolder } from './model-folder.ts';
import { explained, syncFolder, writeDurably } from './write-durably.ts';

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
  readonly modelFile?: string;
  /** Default `fast`; `plain` is the reference to compare it with. */
  readonly form?: AudioForm;
  readonly signal?: AbortSignal;
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
 * with one rename. What is installed and still right is only checked. Two processes may call this at once.
 *
 * Throws `ModelError` (every code but `MODEL_NOT_INSTALLED`), `AbortError` when the signal aborts. After either, and after a kill
 * at any moment, what was installed before is untouched, and the next call clears away what was left behind.
 *
 * @example await installModel({ dataDir: 'data', modelId: 'birdnet-v2.4', onProgress: ({ sentence }) => say(sentence) });
 */
export async function installModel(options: InstallOptions): Promise<InstallResult> {
  const { dataDir, modelId, signal, onProgress } = options;
  const recipe = options.recipe ?? recipeOf(modelId);
  const description = await readDescription(join(options.descriptions ?? descriptionsDirectory, modelId), recipe.labels);
  const target = modelFolderOf(dataDir, modelId);
  const parent = dirname(target);
  await explained(parent, () => mkdir(parent, { recursive: true }));
  const lockFile = join(parent, `.${modelId}.lock`);
  const onWait = (): void =>
    onProgress?.({ step: 'waiting', sentence: 'Another process is installing the model', fraction: null });
  const lock = await explained(parent, () => takeInstallLock(lockFile, { ...withSignal(signal), onWait }));
  try {
    await clearLeftovers(target);
    return await installLocked(target, recipe, description, options);
  } finally {
    await lock.release();
  }
}

async function installLocked(
  target: string,
  recipe: ModelRecipe,
  description: ModelDescription,
  { modelFile, form = 'fast', signal, onProgress }: InstallOptions,
): Promise<InstallResult> {
  const { audio, occurrence } = recipe.sources.published;
  const wanted: Installation = {
    stampVersion: 1,
    converterVersion: CONVERTER_VERSION,
    form,
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

  const work = asideOf(target, 'installing');
  const folder = join(work, 'model');
  const downloads = join(work, 'downloads');
  await explained(target, async () => {
    try {
      await mkdir(folder, { recursive: true });
      const build = { folder, description, form, ...withSignal(signal) };
      let origin = installed?.stamp.origin ?? '';
      if (installed !== null) {
        await buildFromInstalled(installed.model, build);
      } else {
        await mkdir(downloads);
        const files = await obtainModelFiles(recipe.sources, {
          folder: downloads,
          ...(modelFile === undefined ? {} : { modelFile }),
          ...withSignal(signal),
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
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
  const model = await readModelFolder(target);
  onProgress?.({ step: 'done', sentence: 'The model is installed', fraction: 1 });
  return { model, changed: true };
}

/** The installed folder, when its graphs are those that would be made now and its files are whole; else `null`. */
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
    return { model, stamp };
  } catch (error) {
    if (error instanceof ModelError) return null;
    throw error;
  }
}

/** Names beside the target: on the same disk, so that a rename is enough, and told from a model by the dot. */
const asidePrefix = (target: string, purpose: 'installing' | 'replaced'): string => `.${basename(target)}.${purpose}-`;

const asideOf = (target: string, purpose: 'installing' | 'replaced'): string =>
  join(dirname(target), `${asidePrefix(target, purpose)}${randomUUID()}`);

/** A folder cannot be renamed onto another: the old one steps aside first. `clearLeftovers` mends a kill between the two. */
async function putInPlace(folder: string, target: string): Promise<void> {
  const replaced = asideOf(target, 'replaced');
  const hadOne = await renameIfThere(target, replaced);
  await rename(folder, target);
  await syncFolder(dirname(target));
  if (hadOne) await rm(replaced, { recursive: true, force: true });
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Removes what killed runs left behind; a folder that had stepped aside without a successor comes back. */
async function clearLeftovers(target: string): Promise<void> {
  const parent = dirname(target);
  const names = await readdir(parent);
  const replaced = names.filter((name) => name.startsWith(asidePrefix(target, 'replaced')));
  const [last] = replaced;
  if (last !== undefined && !names.includes(basename(target))) await rename(join(parent, last), target);
  for (const name of [...names.filter((name) => name.startsWith(asidePrefix(target, 'installing'))), ...replaced]) {
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

const withSignal = (signal: AbortSignal | undefined): { signal?: AbortSignal } => (signal === undefined ? {} : { signal });
