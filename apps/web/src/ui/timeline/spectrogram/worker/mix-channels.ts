import { createDownmix } from '@chiffchaff/recognizer/audio';
import { interleave } from '../../../../platform/decoding/interleave.ts';

/** Number of frames that are interleaved at a time. */
const PIECE_FRAMES = 65_536;

/** Mixes to one channel as for the recogniser, so that the picture shows what the answer is based on. */
export function mixChannels(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (!first || channels.length === 1) return first ?? new Float32Array(0);
  const mixer = createDownmix(channels.length);
  const mono = new Float32Array(first.length);
  let written = 0;
  const write = (mixed: Float32Array) => {
    mono.set(mixed, written);
    written += mixed.length;
  };
  for (let start = 0; start < first.length; start += PIECE_FRAMES) {
    write(mixer.push(interleave(channels.map((samples) => samples.subarray(start, start + PIECE_FRAMES)))));
  }
  write(mixer.end());
  return mono;
}
