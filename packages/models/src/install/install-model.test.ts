import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Of } from '@chiffchaff/acquire';
import { InferenceSession } from 'onnxruntime-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTinyModel, type TinyModel } from '../testing/tiny-model.ts';
import { type InstallOptions, type InstallProgress, installModel } from './install-model.ts';
import { type ModelFolder, modelFolderOf, readModelFolder, verifyModelFolder } from './model-folder.ts';
import { listWebFiles } from './web-files.ts';

let tiny: TinyModel;
beforeEach(async () => {
  tiny = await createTinyModel();
});
afterEach(() => rm(tiny.root, { recursive: true, force: true }));

function install(changes: Partial<InstallOptions> = {}) {
  const { dataDir, modelId, source, descriptions, recipe } = tiny;
  return installModel({ dataDir, modelId, modelFile: source, descriptions, recipe, ...changes });
}
const target = (): string => modelFolderOf(tiny.dataDir, tiny.modelId);
const LOCK = '.tiny.install-lock';
const beside = async (): Promise<string[]> => (await readdir(dirname(target()))).filter((name) => name !== LOCK);
const audioFileOf = ({ folder, manifest }: ModelFolder): string => join(folder, manifest.audio.file);
const modified = async (name: string): Promise<number> => (await stat(join(target(), name))).mtimeMs;

it('An installed model folder holds graphs, weights, labels, names and manifest, and nothing is left beside it', async () => {
  const { model, changed } = await install();
  expect(changed).toBe(true);
  expect((await readdir(model.folder)).sort()).toEqual([
    'LICENSE',
    'NOTICE',
    'aliases.tsv',
    'audio.onnx',
    'audio.onnx.data',
    'audio.web.data',
    'audio.web.json',
    'confidence-evidence.json',
    'installation.json',
    'labels.txt',
    'manifest.json',
    'names',
    'non-birds.txt',
    'occurrence.onnx',
    'occurrence.onnx.data',
  ]);
  expect(await beside()).toEqual([tiny.modelId]);
  await verifyModelFolder(model);
  const session = await InferenceSession.create(audioFileOf(model));
  expect(session.outputNames).toEqual([model.manifest.audio.logitsName, model.manifest.audio.embedding?.name]);
  expect((await readdir(join(model.folder, 'names'))).sort()).toEqual(['de.txt', 'en.txt']);
});

it('The audio model for browsers takes fewer bytes than the full model', async () => {
  const { model } = await install();
  const { folder, manifest } = model;
  const { audio, webAudio } = manifest;
  const bytesOf = async (graph: typeof webAudio): Promise<number> => {
    const files = [graph, graph.weights].map(({ file }) => stat(join(folder, file)));
    return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
  };
  expect(await bytesOf(webAudio)).toBeLessThan(await bytesOf(audio));
});

it('The model files for browsers are the manifest, a graph, names and the licence, without the server’s graphs', async () => {
  const { model } = await install();
  const files = await listWebFiles(model);
  expect(files.map(({ name }) => name)).toEqual([
    'manifest.json',
    'audio.web.json',
    'audio.web.data',
    'labels.txt',
    'non-birds.txt',
    'names/de.txt',
    'names/en.txt',
    'LICENSE',
    'NOTICE',
  ]);
  for (const { name, bytes, sha256 } of files) {
    const content = await readFile(join(model.folder, name));
    expect([bytes, sha256], name).toEqual([content.byteLength, sha256Of(content)]);
  }
});

it('The model manifest contains the calibration of the model description', async () => {
  const { model } = await install();
  const calibration = JSON.parse(await readFile(join(tiny.descriptions, tiny.modelId, 'calibration.json'), 'utf8'));
  expect(model.manifest.calibration).toEqual(calibration);
});

describe('Installing a model that is already installed', () => {
  it('changes no file and needs no source', async () => {
    await install();
    const before = await modified('audio.onnx');
    await rm(tiny.source, { recursive: true });
    expect((await install()).changed).toBe(false);
    expect(await modified('audio.onnx')).toBe(before);
  });

  it('succeeds for a user who may not write to the folder, and fails only if a file is damaged', async () => {
    await install();
    await rm(tiny.source, { recursive: true });
    // Tests may run as root, who may write everywhere; a folder in place of the lock refuses even that.
    const lock = join(dirname(target()), LOCK);
    await rm(lock);
    await mkdir(lock);
    const { changed, model } = await install();
    expect([changed, model.folder]).toEqual([false, target()]);
    await writeFile(join(target(), 'audio.onnx.data'), 'damaged');
    await expect(install()).rejects.toMatchObject({ name: 'ModelError', code: 'FOLDER_NOT_WRITABLE' });
  });

  it('repeats the installation when a file is damaged', async () => {
    const { model } = await install();
    await writeFile(audioFileOf(model), 'something else');
    expect((await install()).changed).toBe(true);
    await verifyModelFolder(await readModelFolder(target()));
  });

  it('copies a changed model description without another conversion', async () => {
    await install();
    const steps: InstallProgress['step'][] = [];
    await writeFile(join(tiny.descriptions, tiny.modelId, 'names', 'fr.txt'), 'Species 0_Oiseau 0');
    await rm(tiny.source, { recursive: true });
    const { changed, model } = await install({ onProgress: ({ step }) => steps.push(step) });
    expect(changed).toBe(true);
    expect(steps).toEqual(['checking', 'done']);
    expect(await readdir(join(model.folder, 'names'))).toContain('fr.txt');
    await verifyModelFolder(model);
    expect((await install()).changed).toBe(false);
  });

  it('restores a manifest that somebody has changed, without another conversion', async () => {
    const { model } = await install();
    const manifestFile = join(model.folder, 'manifest.json');
    await writeFile(manifestFile, JSON.stringify({ ...model.manifest, name: 'Another' }));
    await rm(tiny.source, { recursive: true });
    expect(await install()).toMatchObject({ changed: true, model: { manifest: model.manifest } });
    expect((await install()).changed).toBe(false);
  });

  it('repeats the installation when the manifest lacks what this version needs', async () => {
    const { model } = await install();
    const manifestFile = join(model.folder, 'manifest.json');
    const { webAudio: _, ...others } = JSON.parse(await readFile(manifestFile, 'utf8'));
    await writeFile(manifestFile, JSON.stringify(others));
    await expect(readModelFolder(model.folder)).rejects.toThrow(/webAudio.*Run "npm run model -- install"/s);
    const renewed = await install();
    expect(renewed).toMatchObject({ changed: true, model: { manifest: model.manifest } });
  });

  it('repeats the conversion when it was made by another version of the converter', async () => {
    const { model } = await install();
    const stampFile = join(model.folder, 'installation.json');
    const stamp = JSON.parse(await readFile(stampFile, 'utf8'));
    await writeFile(stampFile, JSON.stringify({ ...stamp, converterVersion: stamp.converterVersion - 1 }));
    expect((await install()).changed).toBe(true);
  });

  it('leaves the installed model unchanged when the new installation fails', async () => {
    const { model } = await install();
    const before = await readFile(audioFileOf(model));
    await writeFile(join(model.folder, 'installation.json'), '{}');
    await expect(install({ modelFile: join(tiny.root, 'missing.zip') })).rejects.toThrow(
      expect.objectContaining({ code: 'SOURCE_UNREADABLE' }),
    );
    expect(await readFile(audioFileOf(model))).toEqual(before);
    expect(await beside()).toEqual([tiny.modelId]);
  });
});

describe('Installing a model fails', () => {
  const code = (value: string) => expect.objectContaining({ name: 'ModelError', code: value });

  it('for an unknown id, with the names of the models there are', async () => {
    const unknown = installModel({ dataDir: tiny.dataDir, modelId: 'birdnet-v9' });
    await expect(unknown).rejects.toThrow(code('MODEL_UNKNOWN'));
    await expect(unknown).rejects.toThrow('birdnet-v2.4');
  });

  it('if a source file differs from the published file', async () => {
    const file = join(tiny.source, 'audio.tflite');
    const bytes = await readFile(file);
    bytes[bytes.length - 9] = (bytes.at(-9) ?? 0) ^ 1;
    await writeFile(file, bytes);
    await expect(install()).rejects.toThrow(code('CHECKSUM_MISMATCH'));
    expect(await beside()).toEqual([]);
  });

  it('if its graph has another number of classes than there are labels', async () => {
    const description = join(tiny.descriptions, tiny.modelId, 'manifest.json');
    const labels = 'Species 0_Bird 0\nSpecies 1_Bird 1';
    const manifest = JSON.parse(await readFile(description, 'utf8'));
    await writeFile(join(tiny.descriptions, tiny.modelId, 'names', 'en.txt'), labels);
    const changed = { ...manifest, labels: { ...manifest.labels, count: 2, sha256: sha256Of(Buffer.from(labels)) } };
    await writeFile(description, JSON.stringify(changed));
    await expect(install()).rejects.toThrow('gives 7 scores but there are 2 labels');
    expect(await beside()).toEqual([]);
  });

  it('if the data folder is a file, saying that the folder cannot be written', async () => {
    await writeFile(tiny.dataDir, 'not a folder');
    await expect(install()).rejects.toThrow(code('FOLDER_NOT_WRITABLE'));
  });

  it('with the reason of every source if none has the model', async () => {
    const { modelFile: _none, ...options } = { ...tiny, modelFile: undefined };
    const { dataDir, modelId, descriptions, recipe } = options;
    const before = process.env.PATH;
    // No pip on an empty PATH; the archive's address refuses connections.
    process.env.PATH = '';
    try {
      const failing = installModel({ dataDir, modelId, descriptions, recipe });
      await expect(failing).rejects.toThrow(code('SOURCE_UNAVAILABLE'));
      await expect(failing).rejects.toThrow(/pip was not found; 127\.0\.0\.1:9: .*MODEL_FILE/);
    } finally {
      process.env.PATH = before;
    }
  });

  it('when its signal is cancelled, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const onProgress = ({ step }: InstallProgress): void => {
      if (step === 'converting') controller.abort();
    };
    await expect(install({ signal: controller.signal, onProgress })).rejects.toThrow(
      expect.objectContaining({ name: 'AbortError' }),
    );
    expect(await beside()).toEqual([]);
  });
});

describe('Installing a model after an earlier installation was killed', () => {
  /** Installs in another process that kills itself during the conversion. */
  const killedHalfway = async (): Promise<void> => {
    const script = `
      import { installModel } from ${JSON.stringify(fileURLToPath(new URL('./install-model.ts', import.meta.url)))};
      const { recipe, ...options } = ${JSON.stringify({ ...tiny, modelFile: tiny.source })};
      const die = () => process.kill(process.pid, 'SIGKILL');
      await installModel({ ...options, recipe: { ...recipe, convertAudio: die } });
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
  };

  it('removes the incomplete folder and succeeds', async () => {
    await killedHalfway();
    const left = await beside();
    expect(left).toEqual([`.${tiny.modelId}.installing`]);
    expect((await install()).changed).toBe(true);
    expect(await beside()).toEqual([tiny.modelId]);
  });

  it('restores the earlier model if the process was killed before the new model was in its place', async () => {
    await install();
    await rename(target(), join(dirname(target()), `.${tiny.modelId}.replaced-1`));
    await rm(tiny.source, { recursive: true });
    expect((await install()).changed).toBe(false);
    expect(await beside()).toEqual([tiny.modelId]);
  });

  it('removes the replaced folder if the process was killed after the new model was in its place', async () => {
    await install();
    await mkdir(join(dirname(target()), `.${tiny.modelId}.replaced-1`));
    expect((await install()).changed).toBe(false);
    expect(await beside()).toEqual([tiny.modelId]);
  });
});

it('Installing a model twice at once does the work once, and the second call finds the model installed', async () => {
  const sentences: string[] = [];
  const onProgress = ({ sentence }: InstallProgress): void => void sentences.push(sentence);
  const results = await Promise.all([install({ onProgress }), install({ onProgress })]);
  expect(results.map(({ changed }) => changed).sort()).toEqual([false, true]);
  expect(sentences.filter((sentence) => sentence === 'Converting the audio model')).toHaveLength(1);
});
