/** The bit-reversed order of the samples, from which the in-place transform starts. */
function reversedOrder(size: number): Uint32Array {
  const order = new Uint32Array(size);
  for (let index = 1; index < size; index += 1) order[index] = ((order[index >> 1] ?? 0) >> 1) | (index & 1 ? size >> 1 : 0);
  return order;
}

/**
 * Creates a radix-4 transform for power spectra of real frames. Written here because an image of a few thousand columns must not
 * wait for a library to be fetched and needs only this.
 *
 * @param size points of the transform
 * @throws RangeError if `size` is not a power of two of at least 2
 */
export function createFourierTransform(size: number) {
  if (size < 2 || (size & (size - 1)) !== 0) throw new RangeError(`A transform needs a power of two, not ${size} points`);
  const order = reversedOrder(size);
  const cos = Float64Array.from({ length: size / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / size));
  const sin = Float64Array.from({ length: size / 2 }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
  // Doubles: the arithmetic uses them anyway, and converting at every step would take longer than reading them.
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const hasOddStage = Math.log2(size) % 2 === 1;

  // Indices stay within the arrays by construction; ?? satisfies the compiler at no measurable cost.

  /** A radix-2 stage, for sizes that are not a power of four. */
  function joinPairs(): void {
    for (let at = 0; at < size; at += 2) {
      const upperReal = real[at] ?? 0;
      const upperImaginary = imaginary[at] ?? 0;
      const lowerReal = real[at + 1] ?? 0;
      const lowerImaginary = imaginary[at + 1] ?? 0;
      real[at] = upperReal + lowerReal;
      imaginary[at] = upperImaginary + lowerImaginary;
      real[at + 1] = upperReal - lowerReal;
      imaginary[at + 1] = upperImaginary - lowerImaginary;
    }
  }

  /** A radix-4 stage: combines four transforms of `quarter` points each into one. */
  function joinFours(quarter: number): void {
    const stride = size / (4 * quarter);
    for (let offset = 0; offset < quarter; offset += 1) {
      const firstCos = cos[2 * offset * stride] ?? 0;
      const firstSin = sin[2 * offset * stride] ?? 0;
      const secondCos = cos[offset * stride] ?? 0;
      const secondSin = sin[offset * stride] ?? 0;
      for (let a = offset; a < size; a += 4 * quarter) {
        const b = a + quarter;
        const c = b + quarter;
        const d = c + quarter;
        const aReal = real[a] ?? 0;
        const aImaginary = imaginary[a] ?? 0;
        const bReal = (real[b] ?? 0) * firstCos - (imaginary[b] ?? 0) * firstSin;
        const bImaginary = (real[b] ?? 0) * firstSin + (imaginary[b] ?? 0) * firstCos;
        const cReal = real[c] ?? 0;
        const cImaginary = imaginary[c] ?? 0;
        const dReal = (real[d] ?? 0) * firstCos - (imaginary[d] ?? 0) * firstSin;
        const dImaginary = (real[d] ?? 0) * firstSin + (imaginary[d] ?? 0) * firstCos;

        const sumReal = cReal + dReal;
        const sumImaginary = cImaginary + dImaginary;
        const restReal = cReal - dReal;
        const restImaginary = cImaginary - dImaginary;
        const turnedSumReal = sumReal * secondCos - sumImaginary * secondSin;
        const turnedSumImaginary = sumReal * secondSin + sumImaginary * secondCos;
        // Turned by another quarter: times −i.
        const turnedRestReal = restReal * secondSin + restImaginary * secondCos;
        const turnedRestImaginary = restImaginary * secondSin - restReal * secondCos;

        real[a] = aReal + bReal + turnedSumReal;
        imaginary[a] = aImaginary + bImaginary + turnedSumImaginary;
        real[b] = aReal - bReal + turnedRestReal;
        imaginary[b] = aImaginary - bImaginary + turnedRestImaginary;
        real[c] = aReal + bReal - turnedSumReal;
        imaginary[c] = aImaginary + bImaginary - turnedSumImaginary;
        real[d] = aReal - bReal - turnedRestReal;
        imaginary[d] = aImaginary - bImaginary - turnedRestImaginary;
      }
    }
  }

  /** Transforms what was written to `real` and `imaginary`, there: sample n at n's place in `order`. Bins are in their own order. */
  function run(): void {
    if (hasOddStage) joinPairs();
    for (let quarter = hasOddStage ? 2 : 1; quarter < size; quarter *= 4) joinFours(quarter);
  }

  return {
    size,
    bins: size / 2 + 1,
    order,
    real,
    imaginary,
    run,
    /**
     * Writes |X|² of two frames (at most `size` samples each, zero-padded) into `firstPower` and `secondPower` (`bins` values
     * each). One complex transform handles both: one frame is its real part, the other its imaginary part.
     */
    powerOfPair(first: Float32Array, second: Float32Array, firstPower: Float32Array, secondPower: Float32Array): void {
      for (let index = 0; index < size; index += 1) {
        const source = order[index] ?? 0;
        // Checks the length, because reading beyond the end is slow.
        real[index] = source < first.length ? (first[source] ?? 0) : 0;
        imaginary[index] = source < second.length ? (second[source] ?? 0) : 0;
      }
      run();
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
