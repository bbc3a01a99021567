import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeModel } from '../testing/fake-model.ts';
import { fingerprintOf, openModelFolder, readModelFolder } from './model-folder.ts';

const { manifest } = fakeModel([
  ['Turdus merula', 'bird'],
  ['Engine', 'nonEvent'],
]);

describe('Reading the folder of a model (`readModelFolder`)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chiffchaff-model-'));
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'labels.txt'), 'Turdus merula_Eurasian Blackbird\nEngine_Engine');
    await writeFile(join(folder, 'non-birds.txt'), 'Engine\n');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('returns the model manifest and the table of species', async () => {
    const model = await readModelFolder(folder);
    expect(model.manifest).toEqual(manifest);
    expect(model.species.labels.map((label) => label.kind)).toEqual(['bird', 'nonEvent']);
  });

  it('gives the model a fingerprint of all that decides its answers, however the manifest is laid out', async () => {
    const { calibration } = manifest;
    const words = { ...calibration.words, likely: 0.6 };
    const changed = fingerprintOf({ ...manifest, calibration: { ...calibration, words } });
    expect(changed).not.toBe(fingerprintOf(manifest));
    const turned = Object.fromEntries(Object.entries(manifest).reverse());
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(turned, null, 2));
    expect(fingerprintOf((await readModelFolder(folder)).manifest)).toBe(fingerprintOf(manifest));
    await expect(openModelFolder(folder, changed)).rejects.toMatchObject({ code: 'MODEL_EXCHANGED' });
  });

  it('names a file that is missing', async () => {
    await rm(join(folder, 'non-birds.txt'));
    await expect(readModelFolder(folder)).rejects.toMatchObject({
      code: 'MODEL_UNREADABLE',
      details: { file: 'non-birds.txt' },
    });
  });

  it('says what is wrong with a model manifest', async () => {
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, id: 'No Id' }));
    await expect(readModelFolder(folder)).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      details: { found: expect.stringContaining('manifest.json with id') },
    });
    await writeFile(join(folder, 'manifest.json'), '{');
    await expect(readModelFolder(folder)).rejects.toMatchObject({ code: 'MODEL_MISMATCH' });
  });
});
