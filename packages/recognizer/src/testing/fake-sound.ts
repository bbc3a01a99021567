/** Generated, reproducible sound for tests. */

/** The sample at a time. */
export type Wave = (seconds: number) => number;

export const tone =
  (hertz: number, amplitude: number): Wave =>
  (seconds) =>
    amplitude * Math.sin(2 * Math.PI * hertz * seconds);

/** White noise, uniform from −amplitude to amplitude. */
export function noise(amplitude: number, seed = 1): Wave {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return amplitude * ((2 * state) / 2 ** 32 - 1);
  };
}

/** Noise that falls by 12 dB per octave above a frequency, like wind; `rms` is its approximate root mean square. */
export function rumble(belowHertz: number, rms: number, sampleRate: number, seed = 1): Wave {
  const next = noise(1, seed);
  const keep = Math.exp((-2 * Math.PI * belowHertz) / sampleRate);
  // Two one-pole filters in series: the impulse response is (n + 1) · keepⁿ, whose squares add up to this.
  const gain = (1 + keep ** 2) / (1 - keep ** 2) ** 3;
  // Uniform noise has a mean square of 1/3.
  const scale = rms * Math.sqrt(3 / gain);
  let first = 0;
  let second = 0;
  return () => {
    first = keep * first + next(0);
    second = keep * second + first;
    return second * scale;
  };
}

export const sumOf =
  (...waves: readonly Wave[]): Wave =>
  (seconds) =>
    waves.reduce((sum, wave) => sum + wave(seconds), 0);

/** Clips a wave at a height, as a recorder does when its gain is too high. */
export const clippedAt =
  (height: number, wave: Wave): Wave =>
  (seconds) =>
    Math.max(-height, Math.min(height, wave(seconds)));

export function samplesOf(wave: Wave, seconds: number, sampleRate: number): Float32Array {
  return Float32Array.from({ length: Math.round(seconds * sampleRate) }, (_, index) => wave(index / sampleRate));
}

/** Removes everything above a frequency with a windowed sinc of 401 taps: −70 dB within 400 Hz at 48 kHz. */
export function lowPassed(samples: Float32Array, hertz: number, sampleRate: number): Float32Array {
  const half = 200;
  const cut = hertz / sampleRate;
  const taps = Float64Array.from({ length: 2 * half + 1 }, (_, index) => {
    const at = index - half;
    const sinc = at === 0 ? 2 * cut : Math.sin(2 * Math.PI * cut * at) / (Math.PI * at);
    const phase = (Math.PI * index) / half;
    return sinc * (0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase));
  });
  return samples.map((_, at) => {
    let sum = 0;
    for (let tap = 0; tap < taps.length; tap++) sum += (taps[tap] ?? 0) * (samples[at + tap - half] ?? 0);
    return sum;
  });
}
