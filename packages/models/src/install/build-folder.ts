import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder, writeDurably } from '@chiffchaff/acquire';
import { gatherBytes, MANIFEST_FILE, type ModelManifest } from '@chiffchaff/recognizer';
import { encodeOnnx, type OnnxModel } from '../birdnet/onnx-writer.ts';
import type { ModelRecipe } from '../catalogue.ts';
import { ModelError } from '../errors.ts';
import type { ModelFiles } from '../model-files.ts';
import type { GraphHashes, GraphPart, ModelDescription } from './description.ts';
import type { ModelFolder } from './model-folder.ts';

/** Smallest block to write. Weights are few and large, but names and numbers are many and small: a write for each would take seconds. */
const BLOCK_BYTES = 1 << 20;

type Hashes = Readonly<Record<GraphPart, GraphHashes>>;

type Pieces = Iterable<Uint8Array>;

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
  /** @param graphFor the graph's file, which holds the hash of its weights, so that its own hash covers the whole model */
  const write = async (part: GraphPart, weights: Pieces, graphFor: (weightsHash: string) => Pieces): Promise<GraphHashes> => {
    const names = description.graphs[part];
    const weightsHash = await writeDurably(join(folder, names.weights.file), gatherBytes(weights, BLOCK_BYTES), signal);
    const graph = gatherBytes(graphFor(weightsHash), BLOCK_BYTES);
    return { sha256: await writeDurably(join(folder, names.file), graph, signal), weights: weightsHash };
  };
  const writeOnnx = (part: 'audio' | 'occurrence', model: OnnxModel): Promise<GraphHashes> => {
    checkClasses(part, model.outputs[0]?.dims[1], labels);
    const encode = (marked: OnnxModel) => encodeOnnx(marked, description.graphs[part].weights.file);
    return write(
      part,
      encode(model).weights,
      (hash) => encode({ ...model, metadata: { ...model.metadata, weights_sha256: hash } }).graph,
    );
  };
  const convertAudio = async (): Promise<Pick<Hashes, 'audio' | 'webAudio'>> => {
    options.onStep?.('Converting the audio model');
    const file = await files.audio();
    const audio = await writeOnnx('audio', recipe.convertAudio(file));
    const { graph, weights, classes } = recipe.convertWebAudio(file);
    checkClasses('webAudio', classes, labels);
    const textOf = (hash: string): string => JSON.stringify({ ...graph, weights_sha256: hash });
    return { audio, webAudio: await write('webAudio', weights, (hash) => [Buffer.from(textOf(hash))]) };
  };
  const convertOccurrence = async (): Promise<GraphHashes> => {
    options.onStep?.('Converting the occurrence model');
    return writeOnnx('occurrence', recipe.convertOccurrence(await files.occurrence()));
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

function checkClasses(part: GraphPart, classes: string | number | undefined, labels: number): void {
  if (classes === labels) return;
  throw new ModelError(
    'GRAPH_UNEXPECTED',
    `Checking the converted model: ${part} gives ${classes ?? 'no'} scores but there are ${labels} labels. It was not used. Use one of the listed sources.`,
  );
}
