import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTinyModel, type TinyModel } from '../testing/tiny-model.ts';
import { installModel } from './install-model.ts';
import { type ModelFolder, readModelFolder, verifyModelFolder } from './model-folder.ts';

let tiny: TinyModel;
let model: ModelFolder;
beforeEach(async () => {
  tiny = await createTinyModel();
  ({ model } = await installModel({ ...tiny, modelFile: tiny.source }));
});
afterEach(() => rm(tiny.root, { recursive: true, force: true }));

const damaged = (what: string) => expect.objectContaining({ code: 'MODEL_DAMAGED', message: expect.stringContaining(what) });

it('A folder without a manifest is not an installed model', async () => {
  await expect(readModelFolder(join(tiny.root, 'nothing'))).rejects.toThrow(
    expect.objectContaining({ code: 'MODEL_NOT_INSTALLED', message: expect.stringContaining('npm run model -- install') }),
  );
});

it('A model manifest in another format is refused as damaged, with the name of the field', async () => {
  const file = join(model.folder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify({ ...manifest, audio: { ...manifest.audio, sampleRate: 'fast' } }));
  await expect(readModelFolder(model.folder)).rejects.toThrow(damaged('sampleRate'));
  await writeFile(file, '{');
  await expect(readModelFolder(model.folder)).rejects.toThrow(damaged('not valid JSON'));
});

const hashed = [
  'audio.onnx',
  'audio.onnx.data',
  'audio.web.json',
  'audio.web.data',
  'occurrence.onnx',
  'occurrence.onnx.data',
  'labels.txt',
  'non-birds.txt',
  'names/de.txt',
  'aliases.tsv',
  'confidence-evidence.json',
  'LICENSE',
  'NOTICE',
];

it.each(hashed)('A model folder without %s is refused as damaged', async (name) => {
  await rm(join(model.folder, name));
  await expect(readModelFolder(model.folder)).rejects.toThrow(damaged(`${name} is missing`));
});

it.each(hashed)('The check of a model folder finds by its hash that %s was changed', async (name) => {
  await writeFile(join(model.folder, name), 'changed');
  await expect(verifyModelFolder(model)).rejects.toThrow(damaged(`${name} has changed since it was installed`));
});
