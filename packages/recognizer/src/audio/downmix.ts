/**
 * Mixes channels down to mono. The mean keeps what any channel holds, unless they cancel each other out: where it is 20 dB below
 * the difference of the channels (a microphone with reversed polarity), the louder channel is used instead.
 *
 * This is decided per block, counted from the start of the recording, so it does not depend on how the samples are split into
 * chunks.
 */

/** Frames per decision. */
const BLOCK_FRAMES = 8192;
/** −20 dB as a ratio of energies. */
const ANTIPHASE_RATIO = 0.01;
/** A channel in use is kept until another has this many times its energy (3 dB): every switch is a jump in the sound. */
const LOUDER_RATIO = 2;

export interface Downmix {
  /**
   * @param interleaved finite samples; may begin and end within a frame
   * @returns the mono samples decided so far; the next call overwrites them
   */
  push(interleaved: Float32Array): Float32Array;
  /** Ends the recording. @returns the rest; an incomplete frame is dropped */
  end(): Float32Array;
}

/** @param channels 1 or more */
export function createDownmix(channels: number): Downmix {
  if (!Number.isInteger(channels) || channels < 1) throw new RangeError(`${channels} channels; 1 or more work`);
  if (channels === 1) return { push: (samples) => samples, end: () => new Float32Array(0) };
  return mixBlocks(channels);
}

/** Mixes a stream. The arrays it yields may be empty, and each is overwritten by the next. */
export async function* downmix(source: AsyncIterable<Float32Array>, channels: number): AsyncGenerator<Float32Array, void> {
  const mixer = createDownmix(channels);
  for await (const chunk of source) yield mixer.push(chunk);
  yield mixer.end();
}

/**
 * Yields one channel of a stream. The arrays may be empty.
 *
 * @param source interleaved samples, whole frames only
 * @param channel counted from 0
 */
export async function* pickChannel(
  source: AsyncIterable<Float32Array>,
  { channel, channels }: { readonly channel: number; readonly channels: number },
): AsyncGenerator<Float32Array, void> {
  for await (const chunk of source) {
    const picked = new Float32Array(Math.floor(chunk.length / channels));
    for (let frame = 0; frame < picked.length; frame++) picked[frame] = chunk[frame * channels + channel] ?? 0;
    yield picked;
  }
}

function mixBlocks(channels: number): Downmix {
  const block = new Float32Array(BLOCK_FRAMES * channels);
  const energies = new Float64Array(channels);
  let mixed = new Float32Array(BLOCK_FRAMES);
  let filled = 0;
  let taken: number | null = null;

  const loudestChannel = (): number => {
    let loudest = taken ?? 0;
    for (let channel = 0; channel < channels; channel++) {
      const margin = loudest === taken ? LOUDER_RATIO : 1;
      if ((energies[channel] ?? 0) > margin * (energies[loudest] ?? 0)) loudest = channel;
    }
    return loudest;
  };

  const mixBlock = (mono: Float32Array): void => {
    energies.fill(0);
    let mid = 0;
    let all = 0;
    let at = 0;
    for (let frame = 0; frame < mono.length; frame++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++, at++) {
        const sample = block[at] ?? 0;
        sum += sample;
        energies[channel] = (energies[channel] ?? 0) + sample * sample;
        all += sample * sample;
      }
      const mean = sum / channels;
      mono[frame] = mean;
      mid += mean ** 2;
    }
    filled = 0;
    // The difference of the channels: the mean over them of (channel − mid)². For two channels, mid and side are (L ± R)/2.
    const side = all / channels - mid;
    taken = mid >= side * ANTIPHASE_RATIO ? null : loudestChannel();
    if (taken === null) return;
    for (let frame = 0; frame < mono.length; frame++) mono[frame] = block[frame * channels + taken] ?? 0;
  };

  return {
    push(interleaved) {
      const frames = Math.floor((filled + interleaved.length) / block.length) * BLOCK_FRAMES;
      if (mixed.length < frames) mixed = new Float32Array(frames);
      let written = 0;
      for (let read = 0; read < interleaved.length; ) {
        const part = interleaved.subarray(read, read + block.length - filled);
        block.set(part, filled);
        filled += part.length;
        read += part.length;
        if (filled === block.length) {
          mixBlock(mixed.subarray(written, written + BLOCK_FRAMES));
          written += BLOCK_FRAMES;
        }
      }
      return mixed.subarray(0, written);
    },
    end() {
      const mono = new Float32Array(Math.floor(filled / channels));
      mixBlock(mono);
      return mono;
    },
  };
}
