import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ModelManifest, modelManifestSchema } from '@chiffchaff/recognizer';
import { z } from 'zod';
import { ModelError } from '../errors.ts';
import { verify } from '../sources/checksum.ts';

/** A model's description as the project keeps it: everything of a model folder but the converted graphs. */
export interface ModelDescription {
  readonly labels: Uint8Array;
  /** Files that are copied as they are, by their path within the folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Changes when any file of the description does. */
  readonly sha256: string;
  /** The manifest, once the hashes of the graphs are known. */
  manifest(hashes: { readonly audio: string; readonly occurrence: string }): ModelManifest;
}

/** The manifest as stored in the project: without the hashes of files that only exist once installed. */
const manifestTemplateSchema = z.looseObject({
  audio: z.looseObject({}),
  occurrence: z.looseObject({}),
  labels: z.looseObject({
    sha256: z.string(),
    nonBirdsFile: z.string(),
    namesFolder: z.string().optional(),
    aliasesFile: z.string().optional(),
  }),
});

/** Reads `<folder>/manifest.json`, `calibration.json`, the labels and what the manifest names. */
export const readDescription = async (folder: string, labelsPath: string): Promise<ModelDescription> => {
  const digest = createHash('sha256');
  const read = async (name: string): Promise<Uint8Array> => {
    const bytes = await readFile(path.join(folder, name));
    digest.update(`${name}\0${bytes.byteLength}\0`).update(bytes);
    return bytes;
  };
  const readJson = async (name: string): Promise<unknown> => JSON.parse(new TextDecoder().decode(await read(name)));

  const template = manifestTemplateSchema.parse(await readJson('manifest.json'));
  const calibration = await readJson('calibration.json');
  const labels = await read(labelsPath);
  const { sha256, nonBirdsFile, namesFolder, aliasesFile } = template.labels;
  verify(labels, { bytes: labels.byteLength, sha256 }, path.join(folder, labelsPath));

  const files = new Map<string, Uint8Array>();
  for (const name of [nonBirdsFile, aliasesFile]) if (name !== undefined) files.set(name, await read(name));
  if (namesFolder !== undefined) {
    for (const name of (await readdir(path.join(folder, namesFolder))).sort()) {
      files.set(`${namesFolder}/${name}`, await read(`${namesFolder}/${name}`));
    }
  }

  return {
    labels,
    files,
    sha256: digest.digest('hex'),
    manifest: (hashes) => {
      const parsed = modelManifestSchema.safeParse({
        ...template,
        audio: { ...template.audio, sha256: hashes.audio },
        occurrence: { ...template.occurrence, sha256: hashes.occurrence },
        calibration,
      });
      if (parsed.success) return parsed.data;
      throw new ModelError(
        'MODEL_DAMAGED',
        `Writing the manifest: the description in ${folder} does not fit the manifest's form (${z.prettifyError(parsed.error)}). Restore it from the project.`,
        { folder },
        { cause: parsed.error },
      );
    },
  };
};
