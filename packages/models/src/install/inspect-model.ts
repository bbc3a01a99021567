import { type Installation, readInstallation } from './installation.ts';
import { type ModelFolder, modelFolderOf, readModelFolder, verifyModelFolder } from './model-folder.ts';

export interface ModelInspection {
  readonly model: ModelFolder;
  /** What it was made from; `null` when the folder was not written by `installModel`. */
  readonly installation: Installation | null;
}

/** Reads an installed model and checks the hash of every file that has one. Throws `MODEL_NOT_INSTALLED` or `MODEL_DAMAGED`. */
export async function inspectModel(
  dataDir: string,
  modelId: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ModelInspection> {
  const model = await readModelFolder(modelFolderOf(dataDir, modelId));
  await verifyModelFolder(model, options.signal);
  return { model, installation: await readInstallation(model.folder) };
}
