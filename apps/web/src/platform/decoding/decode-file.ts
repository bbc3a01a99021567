import { createDownmix, replaceInvalidSamples } from '@chiffchaff/recognizer/audio';
import { interleave } from './interleave.ts';
import { openSound, type Sound, Undecodable } from './open-sound.ts';
import { createResampler } from './resample.ts';

/** The recogniser's input rate, Hz. */
const SAMPLE_RATE = 48_000;

export interface DecodedFile extends Omit<Sound, 'pieces'> {
  /**
   * Mono samples at 48 kHz, in pieces of any length that belong to the reader. Can be read once.
   *
   * @throws Undecodable if the recording turns out to be damaged
   */
  readonly samples: AsyncGenerator<Float32Array<ArrayBuffer>, void>;
}

/**
 * Opens a recording and decodes it while it is read, a few pieces ahead of the reader: resampled, then mixed down to one channel, as on the
 * server.
 *
 * @throws Undecodable
 */
export async function decodeFile(file: Blob): Promise<DecodedFile> {
  const { pieces, ...about } = await openSound(file);
  const { channels, sampleRate } = about;
  const resamplers = Array.from({ length: channels }, () => {
    const resampler = createResampler(sampleRate, SAMPLE_RATE);
    if (!resampler) throw new Undecodable(`${sampleRate} Hz is an unusual rate`);
    return resampler;
  });
  const mixer = createDownmix(channels);

  /** The mixer reuses its buffer, so the reader gets a copy. */
  const mix = (planes: readonly Float32Array[]) => mixer.push(interleave(planes)).slice();
  async function* samples(): DecodedFile['samples'] {
    for await (const planes of pieces) {
      for (const plane of planes) replaceInvalidSamples(plane);
      yield mix(planes.map((plane, channel) => resamplers[channel]?.push(plane) ?? plane));
    }
    yield mix(resamplers.map((resampler) => resampler.end()));
    yield mixer.end().slice();
  }
  return { ...about, samples: samples() };
}
