/**
 * Power spectra of real frames: a radix-2 transform of its own, because an image of a few thousand columns must not wait for a
 * library to be fetched and needs only this.
 */
export interface FourierTransform {
  /** points of the transform, a power of two */
  readonly size: number;
  /** `size / 2 + 1` */
  readonly bins: number;
  /**
   * Writes |X|² of two frames (at most `size` samples each, the rest counts as zero) into `firstPower` and `secondPower` (`bins`
   * values each). Two real frames cost one complex transform: one is its real part, the other its imaginary.
   */
  powerOfPair(first: Float32Array, second: Float32Array, firstPower: Float32Array, secondPower: Float32Array): void;
}

/** Places of the samples after the bit-reversed sort that the in-place transform starts from. */
function reversedOrder(size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let index = 1; index < size; index += 1) order[index] = ((order[index >> 1] ?? 0) >> 1) | (index & 1 ? size >> 1 : 0);
  return order;
}

/** @throws RangeError when `size` is not a power of two of at least 2 */
export function createFourierTransform(size: number): FourierTransform {
  if (size < 2 || (size & (size - 1)) !== 0) throw new RangeError(`A transform needs a power of two, not ${size} points`);
  const order = reversedOrder(size);
  const cos = Float32Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sin = Float32Array.from({ length: size / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
  const real = new Float32Array(size);
  const imaginary = new Float32Array(size);

  function transform(): void {
    for (let half = 1; half < size; half *= 2) {
      const stride = size / (2 * half);
      for (let start = 0; start < size; start += 2 * half) {
        for (let offset = 0, twiddle = 0; offset < half; offset += 1, twiddle += stride) {
          const upper = start + offset;
          const lower = upper + half;
          // Indices stay within the arrays by construction; ?? satisfies the compiler at no measurable cost.
          const c = cos[twiddle] ?? 0;
          const s = sin[twiddle] ?? 0;
          const lowerReal = real[lower] ?? 0;
          const lowerImaginary = imaginary[lower] ?? 0;
          const turnedReal = lowerReal * c - lowerImaginary * s;
          const turnedImaginary = lowerReal * s + lowerImaginary * c;
          const upperReal = real[upper] ?? 0;
          const upperImaginary = imaginary[upper] ?? 0;
          real[lower] = upperReal - turnedReal;
          imaginary[lower] = upperImaginary - turnedImaginary;
          real[upper] = upperReal + turnedReal;
          imaginary[upper] = upperImaginary + turnedImaginary;
        }
      }
    }
  }

  return {
    size,
    bins: size / 2 + 1,
    powerOfPair(first, second, firstPower, secondPower) {
      for (let index = 0; index < size; index += 1) {
        const source = order[index] ?? 0;
        real[index] = first[source] ?? 0;
        imaginary[index] = second[source] ?? 0;
      }
      transform();
      for (let bin = 0; bin <= size / 2; bin += 1) {
        // The even part of the transform belongs to the first frame, the odd part to the second.
        const mirror = (size - bin) & (size - 1);
        const re = real[bin] ?? 0;
        const im = imaginary[bin] ?? 0;
        const mirrorRe = real[mirror] ?? 0;
        const mirrorIm = imaginary[mirror] ?? 0;
        firstPower[bin] = ((re + mirrorRe) ** 2 + (im - mirrorIm) ** 2) / 4;
        secondPower[bin] = ((im + mirrorIm) ** 2 + (re - mirrorRe) ** 2) / 4;
      }
    },
  };
}
