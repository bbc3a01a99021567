import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelManifest } from '@chiffchaff/recognizer';
import type { AudioForm } from '../birdnet/convert-audio.ts';
import { encodeOnnx, type OnnxModel } from '../birdnet/onnx-writer.ts';
import type { ModelRecipe } from '../catalogue.ts';
import { ModelError } from '../errors.ts';
import type { ModelFiles } from '../sources/model-files.ts';
import type { ModelDescription } from './description.ts';
import { type ModelFolder, manifestFile } from './model-folder.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

export interface BuildOptions {
  /** An existing, empty folder. */
  readonly folder: string;
  readonly description: ModelDescription;
  readonly form: AudioForm;
  readonly signal?: AbortSignal;
  readonly onStep?: (sentence: string) => void;
}

/** Converts and writes a whole model folder; returns its manifest. One graph at a time, so that memory holds one. */
export const buildFromFiles = async (recipe: ModelRecipe, files: ModelFiles, options: BuildOptions): Promise<ModelManifest> => {
  const { description, form } = options;
  const labels = countLines(description.labels);
  const graphs = graphNames(description);
  const convert = async (name: string, toOnnx: () => Promise<OnnxModel>): Promise<string> => {
    options.onStep?.(`Converting ${name}`);
    const model = await toOnnx();
    checkClasses(model, labels);
    return writeDurably(path.join(options.folder, name), encodeOnnx(model), options.signal);
  };
  const audio = await convert(graphs.audio, async () => recipe.convertAudio(await files.audio(), form));
  const occurrence = await convert(graphs.occurrence, async () => recipe.convertOccurrence(await files.occurrence()));
  return writeDescription(options, { audio, occurrence });
};

/** Writes a model folder around the graphs of an installed one, when only the description has changed. */
export const buildFromInstalled = async (installed: ModelFolder, options: BuildOptions): Promise<ModelManifest> => {
  const { audio, occurrence } = installed.manifest;
  const graphs = graphNames(options.description);
  await copyFile(installed.audioFile, path.join(options.folder, graphs.audio));
  if (installed.occurrenceFile !== null) await copyFile(installed.occurrenceFile, path.join(options.folder, graphs.occurrence));
  return writeDescription(options, { audio: audio.sha256, occurrence: occurrence?.sha256 ?? '' });
};

/** The files' names are the manifest's; the hashes are not needed to know them. */
const graphNames = (description: ModelDescription): { audio: string; occurrence: string } => {
  const { audio, occurrence } = description.manifest({ audio: '0'.repeat(64), occurrence: '0'.repeat(64) });
  return { audio: audio.file, occurrence: occurrence?.file ?? '' };
};

const writeDescription = async (
  { folder, description, signal }: BuildOptions,
  hashes: { audio: string; occurrence: string },
): Promise<ModelManifest> => {
  const manifest = description.manifest(hashes);
  for (const [name, bytes] of description.files) {
    signal?.throwIfAborted();
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), bytes);
  }
  await writeDurably(path.join(folder, manifest.labels.file), [description.labels]);
  await writeDurably(path.join(folder, manifestFile), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  await syncFolder(folder);
  return manifest;
};

/** A labels file has one label a line; the last line may lack its end. */
const countLines = (labels: Uint8Array): number => new TextDecoder().decode(labels).replace(/\n$/, '').split('\n').length;

const checkClasses = (model: OnnxModel, labels: number): void => {
  const classes = model.outputs[0]?.dims[1];
  if (classes === labels) return;
  throw new ModelError(
    'GRAPH_UNEXPECTED',
    `Checking the converted model: ${model.name} gives ${classes ?? 'no'} scores but there are ${labels} labels. It is not used. Use one of the listed sources.`,
    { model: model.name, labels },
  );
};
