import { createDownmix, replaceInvalidSamples } from '@chiffchaff/recognizer/audio';
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

/** Interleaves channels. @param planes one array per channel, all of the same length */
export function interleave(planes: readonly Float32Array[]): Float32Array {
  const [first] = planes;
  if (first === undefined || planes.length === 1) return first ?? new Float32Array(0);
  const together = new Float32Array(first.length * planes.length);
  for (const [channel, plane] of planes.entries()) {
    for (let frame = 0; frame < plane.length; frame++) together[frame * planes.length + channel] = plane[frame] ?? 0;
  }
  return together;
}
