import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Of } from '@chiffchaff/acquire';
import { convertBirdnetAudio, convertBirdnetOccurrence, convertBirdnetWebAudio } from '../birdnet/convert.ts';
import { descriptionsDirectory, type ModelRecipe } from '../catalogue.ts';
import { createNumbers, createTinyWeights, tinySizes, writeTinyBirdnet } from './tiny-birdnet.ts';
import { tinyOccurrenceSizes, writeTinyOccurrence } from './tiny-occurrence.ts';

/** A model small enough to be installed in a test: its published files, its description, and its recipe. */
export interface TinyModel {
  /** A temporary folder with everything; the caller removes it. */
  readonly root: string;
  readonly modelId: string;
  readonly dataDir: string;
  /** Folder with the published files under their names, to be passed as `modelFile`. */
  readonly source: string;
  readonly descriptions: string;
  readonly recipe: ModelRecipe;
}

export async function createTinyModel(): Promise<TinyModel> {
  const root = await mkdtemp(join(tmpdir(), 'tiny-model-'));
  const [source, descriptions] = [join(root, 'source'), join(root, 'descriptions')];
  const draw = createNumbers(3);
  const { waves, hidden, classes } = tinyOccurrenceSizes;
  const audio = writeTinyBirdnet(createTinyWeights());
  const occurrence = writeTinyOccurrence(
    {
      longitudeShift: 180,
      longitudeScale: 0.5,
      waves: draw(waves),
      hiddenWeights: draw(hidden * 2 * waves),
      hiddenBias: draw(hidden),
      weights: draw(classes * hidden),
      bias: draw(classes),
    },
    'float32',
  );
  await mkdir(source);
  await writeFile(join(source, 'audio.tflite'), audio);
  await writeFile(join(source, 'occurrence.tflite'), occurrence);
  await writeDescription(join(descriptions, MODEL_ID));
  const nowhere = { kind: 'url', url: 'http://127.0.0.1:9/archive.zip', sha256: '0'.repeat(64) } as const;
  return {
    root,
    modelId: MODEL_ID,
    dataDir: join(root, 'data'),
    source,
    descriptions,
    recipe: {
      sources: {
        published: {
          audio: { name: 'audio.tflite', bytes: audio.byteLength, sha256: sha256Of(audio) },
          occurrence: { name: 'occurrence.tflite', bytes: occurrence.byteLength, sha256: sha256Of(occurrence) },
          archive: {
            audio: { name: 'first', bytes: audio.byteLength, sha256: sha256Of(audio) },
            occurrence: { name: 'second', bytes: occurrence.byteLength, sha256: sha256Of(occurrence) },
          },
        },
        downloads: [{ kind: 'wheel', requirement: 'tiny-model==1', sha256: '0'.repeat(64) }, nowhere],
      },
      labels: 'names/en.txt',
      convertAudio: convertBirdnetAudio,
      convertWebAudio: convertBirdnetWebAudio,
      convertOccurrence: convertBirdnetOccurrence,
    },
  };
}

const MODEL_ID = 'tiny';

/** Like the real description, with fewer species. */
async function writeDescription(folder: string): Promise<void> {
  const template = JSON.parse(await readFile(join(descriptionsDirectory, 'birdnet-v2.4', 'manifest.json'), 'utf8'));
  const labels = Array.from({ length: tinySizes.classes }, (_, index) => `Species ${index}_Bird ${index}`).join('\n');
  const manifest = {
    ...template,
    id: MODEL_ID,
    audio: { ...template.audio, clipSamples: tinySizes.samples, embedding: { name: 'embedding', size: tinySizes.embedding } },
    labels: { ...template.labels, sha256: sha256Of(Buffer.from(labels)), count: tinySizes.classes },
  };
  await mkdir(join(folder, 'names'), { recursive: true });
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  await writeFile(
    join(folder, 'calibration.json'),
    await readFile(join(descriptionsDirectory, 'birdnet-v2.4', 'calibration.json')),
  );
  await writeFile(join(folder, 'names', 'en.txt'), labels);
  await writeFile(join(folder, 'names', 'de.txt'), labels.replaceAll('Bird', 'Vogel'));
  await writeFile(join(folder, 'non-birds.txt'), 'Species 3\n');
  if (template.evidenceFile) await writeFile(join(folder, template.evidenceFile), '{}');
  await writeFile(join(folder, 'LICENSE'), 'the terms\n');
  await writeFile(join(folder, 'NOTICE'), 'who made it\n');
  await writeFile(join(folder, 'aliases.tsv'), 'name\tlabel\trelation\n');
}
