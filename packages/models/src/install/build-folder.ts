import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeDurably } from '@chiffchaff/acquire';
import { gatherBytes, type ModelManifest } from '@chiffchaff/recognizer';
import { encodeOnnx, type OnnxModel } from '../birdnet/onnx-writer.ts';
import type { ModelRecipe } from '../catalogue.ts';
import { ModelError } from '../errors.ts';
import type { ModelFiles } from '../model-files.ts';
import type { GraphHashes, GraphPart, ModelDescription } from './description.ts';
import { MANIFEST_FILE, type ModelFolder } from './model-folder.ts';

/** Smallest block to write. Weights are few and large, but names and numbers are many and small: a write for each would take seconds. */
const BLOCK_BYTES = 1 << 20;

/** Alignment of weights for browsers, which download them instead of mapping them, so they can lie close together. */
const FETCHED_UNIT_BYTES = 64;

type Hashes = Readonly<Record<GraphPart, GraphHashes>>;

export interface BuildOptions {
  /** An existing, empty folder. */
  readonly folder: string;
  readonly description: ModelDescription;
  readonly signal?: AbortSignal | undefined;
  readonly onStep?: (sentence: string) => void;
}

/** Converts and writes a whole model folder; returns its manifest. One graph at a time, so that memory holds one. */
export async function buildFromFiles(recipe: ModelRecipe, files: ModelFiles, options: BuildOptions): Promise<ModelManifest> {
  const { folder, description, signal } = options;
  const labels = countLines(description.labels);
  const write = async (part: GraphPart, model: OnnxModel, unitBytes?: number): Promise<GraphHashes> => {
    const { file, weights } = description.graphs[part];
    checkClasses(model, labels);
    const weightsHash = await writeDurably(
      join(folder, weights.file),
      gatherBytes(encodeOnnx(model, weights.file, unitBytes).weights, BLOCK_BYTES),
      signal,
    );
    // The graph holds the hash of its weights, so its own hash covers the whole model.
    const marked = { ...model, metadata: { ...model.metadata, weights_sha256: weightsHash } };
    const graph = gatherBytes(encodeOnnx(marked, weights.file, unitBytes).graph, BLOCK_BYTES);
    return { sha256: await writeDurably(join(folder, file), graph, signal), weights: weightsHash };
  };
  const convertAudio = async (): Promise<Pick<Hashes, 'audio' | 'webAudio'>> => {
    options.onStep?.('Converting the audio model');
    const model = recipe.convertAudio(await files.audio());
    const audio = await write('audio', model);
    return { audio, webAudio: await write('webAudio', recipe.shrinkAudio(model), FETCHED_UNIT_BYTES) };
  };
  const convertOccurrence = async (): Promise<GraphHashes> => {
    options.onStep?.('Converting the occurrence model');
    return write('occurrence', recipe.convertOccurrence(await files.occurrence()));
  };
  const audio = await convertAudio();
  return writeDescription(options, { ...audio, occurrence: await convertOccurrence() });
}

/** Writes a model folder with the graphs of an installed one, for when only the description has changed. */
export async function buildFromInstalled(installed: ModelFolder, options: BuildOptions): Promise<ModelManifest> {
  const copy = async (part: GraphPart): Promise<GraphHashes> => {
    const graph = installed.manifest[part];
    // The converter writes all of them.
    if (graph === null) throw new Error(`the installed model has no ${part} graph`);
    const { file, weights } = options.description.graphs[part];
    await copyFile(join(installed.folder, graph.file), join(options.folder, file));
    await copyFile(join(installed.folder, graph.weights.file), join(options.folder, weights.file));
    return { sha256: graph.sha256, weights: graph.weights.sha256 };
  };
  return writeDescription(options, {
    audio: await copy('audio'),
    webAudio: await copy('webAudio'),
    occurrence: await copy('occurrence'),
  });
}

async function writeDescription({ folder, description, signal }: BuildOptions, hashes: Hashes): Promise<ModelManifest> {
  const manifest = description.manifest(hashes);
  for (const [name, bytes] of description.files) {
    signal?.throwIfAborted();
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  await writeDurably(join(folder, manifest.labels.file), [description.labels]);
  await writeDurably(join(folder, MANIFEST_FILE), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
  await syncFolder(folder);
  return manifest;
}

/** A labels file has one label per line; the last line may lack a newline. */
const countLines = (labels: Uint8Array): number => new TextDecoder().decode(labels).replace(/\n$/, '').split('\n').length;

function checkClasses(model: OnnxModel, labels: number): void {
  const classes = model.outputs[0]?.dims[1];
  if (classes === labels) return;
  throw new ModelError(
    'GRAPH_UNEXPECTED',
    `Checking the converted model: ${model.name} gives ${classes ?? 'no'} scores but there are ${labels} labels. It was not used. Use one of the listed sources.`,
  );
}
