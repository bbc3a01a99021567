import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of, verifyBytes } from '@chiffchaff/acquire';
import { type ModelManifest, modelManifestSchema } from '@chiffchaff/recognizer';
import { z } from 'zod';
import { ModelError } from '../errors.ts';

/** A model's description in this project: everything in a model folder except the converted graphs. */
export type ModelDescription = Awaited<ReturnType<typeof readDescription>>;

/** A graph of the manifest. */
export type GraphPart = 'audio' | 'webAudio' | 'occurrence';

export interface GraphHashes {
  readonly sha256: string;
  /** sha256 of the weights file */
  readonly weights: string;
}

/** The manifest in this project: without the hashes of files that exist only after installation. */
const graphTemplateSchema = z.looseObject({ file: z.string(), weights: z.looseObject({ file: z.string() }) });

const manifestTemplateSchema = z.looseObject({
  evidenceFile: z.string().optional(),
  audio: graphTemplateSchema,
  webAudio: graphTemplateSchema,
  occurrence: graphTemplateSchema,
  labels: z.looseObject({
    sha256: z.string(),
    nonBirdsFile: z.string(),
    namesFolder: z.string().optional(),
    aliasesFile: z.string().optional(),
  }),
});

/** The licence of the weights, and the notice of their authors and of the changes; both must accompany every copy. */
export const licenceFiles: readonly string[] = ['LICENSE', 'NOTICE'];

/** Reads `<folder>/manifest.json`, `calibration.json`, the labels and the files that the manifest names. */
export async function readDescription(folder: string, labelsPath: string) {
  const digest = createHash('sha256');
  const read = async (name: string): Promise<Uint8Array> => {
    const bytes = await readFile(join(folder, name));
    digest.update(`${name}\0${bytes.byteLength}\0`).update(bytes);
    return bytes;
  };
  const readJson = async (name: string): Promise<unknown> => JSON.parse(new TextDecoder().decode(await read(name)));

  const template = manifestTemplateSchema.parse(await readJson('manifest.json'));
  const calibration = await readJson('calibration.json');
  const labels = await read(labelsPath);
  const { sha256, nonBirdsFile, namesFolder, aliasesFile } = template.labels;
  verifyBytes(labels, { bytes: labels.byteLength, sha256 }, join(folder, labelsPath));

  const files = new Map<string, Uint8Array>();
  for (const name of [nonBirdsFile, aliasesFile, template.evidenceFile, ...licenceFiles])
    if (name !== undefined) files.set(name, await read(name));
  if (namesFolder !== undefined) {
    for (const name of (await readdir(join(folder, namesFolder))).sort()) {
      files.set(`${namesFolder}/${name}`, await read(`${namesFolder}/${name}`));
    }
  }

  const { audio, webAudio, occurrence } = template;
  const hashed = (graph: typeof audio, { sha256, weights }: GraphHashes) => ({
    ...graph,
    sha256,
    weights: { ...graph.weights, sha256: weights },
  });
  return {
    labels,
    /** Files that are copied unchanged, by their path within the folder. */
    files: files as ReadonlyMap<string, Uint8Array>,
    graphs: { audio, webAudio, occurrence } satisfies Record<GraphPart, typeof audio>,
    /** Changes when any file of the description does. */
    sha256: digest.digest('hex'),
    /** The manifest for given hashes of the graphs. */
    manifest: (hashes: Readonly<Record<GraphPart, GraphHashes>>): ModelManifest => {
      const parsed = modelManifestSchema.safeParse({
        ...template,
        audio: hashed(audio, hashes.audio),
        webAudio: hashed(webAudio, hashes.webAudio),
        occurrence: hashed(occurrence, hashes.occurrence),
        calibration,
        files: Object.fromEntries([...files].map(([name, bytes]) => [name, sha256Of(bytes)])),
      });
      if (parsed.success) return parsed.data;
      throw new ModelError(
        'MODEL_DAMAGED',
        `Writing the manifest: the description in ${folder} is not a valid manifest (${z.prettifyError(parsed.error)}). Restore it from the project.`,
        { cause: parsed.error },
      );
    },
  };
}
