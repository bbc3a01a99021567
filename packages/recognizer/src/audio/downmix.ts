/**
 * Many channels to one. The mean keeps what any channel holds, unless they cancel each other: where the mean is 20 dB under what
 * the channels differ by (a microphone wired the wrong way round), the louder channel is taken instead.
 *
 * That is decided block by block, counted from the start of the recording, so that it does not depend on how the samples arrive.
 */

/** Frames that are decided on together. */
const BLOCK_FRAMES = 8192;
/** −20 dB as a ratio of energies. */
const ANTIPHASE_RATIO = 0.01;
/** A channel that is taken is kept until another has so many times its energy (3 dB): each change is a jump in the sound. */
const LOUDER_RATIO = 2;

export interface Downmix {
  /** @param interleaved samples, frame after frame; a frame may be cut anywhere. @returns mono samples that are decided by now */
  push(interleaved: Float32Array): Float32Array;
  /** The recording has ended. @returns the rest; a frame that misses channels is dropped */
  end(): Float32Array;
}

/**
 * Samples that are no numbers (NaN, ±Infinity) become 0.
 *
 * @param channels 1 or more
 */
export function createDownmix(channels: number): Downmix {
  if (!Number.isInteger(channels) || channels < 1) throw new RangeError(`${channels} channels; 1 or more work`);
  return channels === 1 ? passThrough() : mixBlocks(channels);
}

/** Mixes a whole stream. The arrays it yields may be empty. */
export async function* downmix(source: AsyncIterable<Float32Array>, channels: number): AsyncGenerator<Float32Array, void> {
  const mixer = createDownmix(channels);
  for await (const chunk of source) yield mixer.push(chunk);
  yield mixer.end();
}

function passThrough(): Downmix {
  return {
    push(samples) {
      // A sum is a number only when all its terms are.
      let sum = 0;
      // By index: iterating takes five times as long.
      for (let at = 0; at < samples.length; at++) sum += samples[at] ?? 0;
      return Number.isFinite(sum) ? samples : samples.map(finiteOrZero);
    },
    end: () => new Float32Array(0),
  };
}

function mixBlocks(channels: number): Downmix {
  const block = new Float32Array(BLOCK_FRAMES * channels);
  const energies = new Float64Array(channels);
  let filled = 0;
  let taken: number | null = null;

  const chooseChannel = (frames: number): number | null => {
    energies.fill(0);
    let mid = 0;
    let all = 0;
    for (let frame = 0; frame < frames; frame++) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) {
        const sample = block[frame * channels + channel] ?? 0;
        sum += sample;
        energies[channel] = (energies[channel] ?? 0) + sample * sample;
        all += sample * sample;
      }
      mid += (sum / channels) ** 2;
    }
    // What the channels differ by: the mean over the channels of (channel − mid)². With two it is the side, (L − R)/2.
    const side = all / channels - mid;
    if (mid >= side * ANTIPHASE_RATIO) return null;
    let loudest = taken ?? 0;
    for (let channel = 0; channel < channels; channel++) {
      const margin = loudest === taken ? LOUDER_RATIO : 1;
      if ((energies[channel] ?? 0) > margin * (energies[loudest] ?? 0)) loudest = channel;
    }
    return loudest;
  };

  const mixBlock = (mono: Float32Array): void => {
    taken = chooseChannel(mono.length);
    for (let frame = 0; frame < mono.length; frame++) {
      if (taken !== null) {
        mono[frame] = block[frame * channels + taken] ?? 0;
        continue;
      }
      let sum = 0;
      for (let channel = 0; channel < channels; channel++) sum += block[frame * channels + channel] ?? 0;
      mono[frame] = sum / channels;
    }
    filled = 0;
  };

  return {
    push(interleaved) {
      const mono = new Float32Array(Math.floor((filled + interleaved.length) / block.length) * BLOCK_FRAMES);
      let written = 0;
      for (let read = 0; read < interleaved.length; ) {
        const part = interleaved.subarray(read, read + block.length - filled);
        // By index: this runs for every sample of every channel, and iterating takes twice as long.
        for (let at = 0; at < part.length; at++) block[filled + at] = finiteOrZero(part[at] ?? 0);
        filled += part.length;
        read += part.length;
        if (filled === block.length) {
          mixBlock(mono.subarray(written, written + BLOCK_FRAMES));
          written += BLOCK_FRAMES;
        }
      }
      return mono;
    },
    end() {
      const mono = new Float32Array(Math.floor(filled / channels));
      mixBlock(mono);
      return mono;
    },
  };
}

function finiteOrZero(sample: number): number {
  return Number.isFinite(sample) ? sample : 0;
}
