import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forBrowsers } from '@chiffchaff/recognizer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptionsDirectory, modelIds, recipeOf } from '../catalogue.ts';
import { readDescription } from './description.ts';

const hashes = { sha256: 'a'.repeat(64), weights: 'b'.repeat(64) };
const webHashes = { sha256: 'c'.repeat(64), weights: 'd'.repeat(64) };
const all = { audio: hashes, webAudio: webHashes, occurrence: hashes };

describe.each(modelIds)('The model description of %s', (modelId) => {
  const folder = join(descriptionsDirectory, modelId);
  const { labels: labelsPath } = recipeOf(modelId);
  const lines = (bytes: Uint8Array | undefined): string[] => new TextDecoder().decode(bytes).trimEnd().split('\n');
  const scientific = (label: string): string => label.split('_')[0] ?? '';

  it('yields a model manifest with the hashes of the converted files', async () => {
    const { manifest } = await readDescription(folder, labelsPath);
    const { audio, occurrence, id } = manifest(all);
    expect(id).toBe(modelId);
    expect([audio.sha256, audio.weights.sha256, occurrence?.sha256]).toEqual([hashes.sha256, hashes.weights, hashes.sha256]);
  });

  it('yields a manifest for browsers that differs from the full one only in its files', async () => {
    const full = (await readDescription(folder, labelsPath)).manifest(all);
    const webAudio = {
      file: 'audio.web.json',
      sha256: webHashes.sha256,
      weights: { file: 'audio.web.data', sha256: webHashes.weights },
    };
    expect(full).toMatchObject({ webAudio });
    expect(forBrowsers(full)).toEqual({ ...full, audio: { ...full.audio, ...webAudio } });
  });

  it('has as many labels as it states, with its non-birds among them', async () => {
    const { labels, files, manifest } = await readDescription(folder, labelsPath);
    const { labels: described } = manifest(all);
    const names = new Set(lines(labels).map(scientific));
    expect(names.size).toBe(described.count);
    const nonBirds = lines(files.get(described.nonBirdsFile));
    expect(nonBirds.filter((name) => !names.has(name))).toEqual([]);
    expect(described.nonEvents.filter((name) => !nonBirds.includes(name))).toEqual([]);
  });

  it('names every species in every language, in the order of the labels', async () => {
    const { labels, files, manifest } = await readDescription(folder, labelsPath);
    const { namesFolder } = manifest(all).labels;
    const order = lines(labels).map(scientific);
    const languages = [...files].filter(([name]) => name.startsWith(`${namesFolder}/`));
    expect(languages.length).toBeGreaterThan(20);
    const differences = languages.flatMap(([name, bytes]) =>
      lines(bytes).flatMap((line, index) => (scientific(line) === order[index] ? [] : [`${name}: ${order[index]}`])),
    );
    // The published Polish table has its neighbour Lichmera indistincta twice instead.
    expect(differences).toEqual(['names/pl.txt: Lichmera limbata']);
    for (const [name, bytes] of languages) expect(lines(bytes), name).toHaveLength(order.length);
  });

  it('has a model card with the licence and the attribution', async () => {
    const card = await readFile(join(folder, 'MODEL_CARD.md'), 'utf8');
    const { licence, citation } = (await readDescription(folder, labelsPath)).manifest(all);
    expect(card).toContain(licence.replaceAll('-', ' ').replace('CC BY NC SA', 'CC BY-NC-SA'));
    expect(card).toContain('Powered by BirdNET');
    expect(card).toContain(citation.split('https://')[1]);
  });

  it('has the whole licence, and a notice of who made the model and what was changed', async () => {
    const { files, manifest } = await readDescription(folder, labelsPath);
    const { attribution, citation } = manifest(all);
    const text = (name: string): string => new TextDecoder().decode(files.get(name)).replaceAll(/\s+/g, ' ');
    expect(text('LICENSE')).toContain('Attribution-NonCommercial-ShareAlike 4.0 International Public License');
    expect(text('LICENSE')).toContain('Section 8 – Interpretation');
    expect(text('NOTICE')).toContain(attribution.split('Powered by BirdNET, ')[1]);
    expect(text('NOTICE')).toContain(citation);
    expect(text('NOTICE')).toMatch(/Changed by Chiffchaff: converted .* under the same licence/);
  });
});

describe('A model description that was changed', () => {
  let copy = '';
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'description-'));
    await cp(join(descriptionsDirectory, 'birdnet-v2.4'), copy, { recursive: true });
  });
  afterEach(() => rm(copy, { recursive: true, force: true }));

  const read = () => readDescription(copy, 'names/en_us.txt');

  it.each([
    'calibration.json',
    'confidence-evidence.json',
    'names/de.txt',
    'non-birds.txt',
    'aliases.tsv',
    'NOTICE',
    'manifest.json',
  ])('in %s has another hash', async (name) => {
    const before = (await read()).sha256;
    await writeFile(join(copy, name), `${await readFile(join(copy, name), 'utf8')}\n`);
    expect((await read()).sha256).not.toBe(before);
  });

  it('in its labels is refused, because their order is that of the outputs', async () => {
    const file = join(copy, 'names/en_us.txt');
    await writeFile(file, (await readFile(file, 'utf8')).split('\n').reverse().join('\n'));
    await expect(read()).rejects.toThrow(expect.objectContaining({ code: 'CHECKSUM_MISMATCH' }));
  });

  it('and lacks a number is refused with the name of what is missing', async () => {
    const file = join(copy, 'calibration.json');
    const { tie: _tie, ...others } = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify(others));
    const { manifest } = await read();
    expect(() => manifest(all)).toThrow(/calibration\.tie/);
  });
});
