import { type DecodedRecording, decodeRecording } from '@chiffchaff/analysis';
import { createRecognizer, downmix } from '@chiffchaff/recognizer';
import type { Config } from '../config.ts';
import { openRecogniser } from '../open-recogniser.ts';
import type { Analyst } from './analyst.ts';

/** The installed model with a pool of workers and a decoder. The same way as `identify`, stopped at the evidence. */
export async function openAnalyst(config: Config, signal: AbortSignal): Promise<Analyst> {
  const { model, pool, ffmpegPath } = await openRecogniser(config, signal);
  const { manifest, species } = model;
  const recogniser = createRecognizer({ manifest, species, runner: pool });
  const { sampleRate } = manifest.audio;

  async function withMono<Result>(
    path: string,
    signal: AbortSignal,
    use: (mono: AsyncIterable<Float32Array>) => Promise<Result>,
  ): Promise<Result> {
    const decoded: DecodedRecording = await decodeRecording(path, { ffmpegPath, sampleRate, signal });
    try {
      return await use(downmix(decoded.samples, decoded.channels));
    } finally {
      await decoded.stop();
    }
  }

  return {
    model: { id: manifest.id, version: manifest.version, sha256: manifest.audio.sha256, attribution: manifest.attribution },
    birds: new Map(
      species.labels.filter(({ kind }) => kind === 'bird').map(({ scientificName, index }) => [scientificName, index]),
    ),
    sampleRate,
    analyseFile: (path, signal) => withMono(path, signal, (mono) => recogniser.collectEvidence(mono, { signal })),
    decode: (path, signal) =>
      withMono(path, signal, async (mono) => {
        const pieces: Float32Array[] = [];
        for await (const piece of mono) pieces.push(piece.slice());
        return join(pieces);
      }),
    analyseSamples: (pieces, signal) => recogniser.collectEvidence(asynchronously(pieces), { signal }),
    conclude: recogniser.conclude,
    occurrence: (place) => pool.occurrence(place),
    close: () => pool.close(),
  };
}

async function* asynchronously<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

function join(pieces: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}
