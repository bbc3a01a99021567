/**
 * Long strided kernels, factored into a few short ones.
 *
 * Every kernel is cut into pieces as long as the step between frames, so that neighbouring frames share pieces. If the kernels span
 * a narrow range of frequencies, all pieces are mixtures of a few waves, to float32's precision. Each piece of the signal is then
 * projected onto those waves once, and every frame mixes the projections:
 *
 *     kernel[band, part · piece + n] ≈ Σ_c mix[band, c, part] · waves[c, n]
 */
export interface FactoredKernels {
  /** Samples per piece. */
  readonly piece: number;
  /** Pieces per kernel; the last may extend past its end, where it is zero. */
  readonly parts: number;
  /** Number of waves. */
  readonly count: number;
  /** `[count, piece]`, orthonormal. */
  readonly waves: Float32Array;
  /** `[bands, count, parts]` */
  readonly mix: Float32Array;
}

/**
 * Largest residual of a piece after the projection, relative to its whole kernel. 1e-6 is lost in the rounding of float32:
 * BirdNET's logits change no more than between two orders of summation.
 */
const TOLERANCE = 1e-6;

/** @param kernels `[bands, length]`, row by row */
export function factorKernels(kernels: Float32Array, bands: number, piece: number): FactoredKernels {
  const length = kernels.length / bands;
  const parts = Math.ceil(length / piece);
  const norms = Array.from({ length: bands }, (_, band) => {
    const kernel = Float64Array.from(kernels.subarray(band * length, (band + 1) * length));
    return Math.sqrt(dot(kernel, kernel)) || 1;
  });
  const pieces = Array.from({ length: bands * parts }, (_, index) => {
    const band = Math.floor(index / parts);
    const start = (index % parts) * piece;
    const end = Math.min(start + piece, length);
    const row = new Float64Array(piece);
    row.set(kernels.subarray(band * length + start, band * length + end));
    return row.map((value) => value / (norms[band] ?? 1));
  });
  const waves = spanningWaves(pieces);
  const mix = new Float32Array(bands * waves.length * parts);
  for (const [index, row] of pieces.entries()) {
    const band = Math.floor(index / parts);
    for (const [c, wave] of waves.entries()) {
      mix[(band * waves.length + c) * parts + (index % parts)] = dot(row, wave) * (norms[band] ?? 1);
    }
  }
  return { piece, parts, count: waves.length, waves: Float32Array.from(waves.flatMap((wave) => [...wave])), mix };
}

/**
 * Orthonormal vectors that span every row within the tolerance: Gram–Schmidt, always continuing with the row that has the largest
 * residual.
 */
function spanningWaves(rows: readonly Float64Array[]): Float64Array[] {
  const rests = rows.map((row) => row.slice());
  const waves: Float64Array[] = [];
  for (;;) {
    const sizes = rests.map((rest) => Math.sqrt(dot(rest, rest)));
    const largest = sizes.reduce((best, size, index) => (size > (sizes[best] ?? 0) ? index : best), 0);
    const rest = rests[largest];
    if (rest === undefined || (sizes[largest] ?? 0) < TOLERANCE) return waves;
    const wave = rest.slice();
    // Orthogonalises again: rounding leaves a little of each earlier wave in the residual.
    for (const earlier of waves) subtract(wave, earlier, dot(wave, earlier));
    const size = Math.sqrt(dot(wave, wave));
    waves.push(wave.map((value) => value / size));
    const added = waves.at(-1) ?? wave;
    for (const other of rests) subtract(other, added, dot(other, added));
  }
}

function dot(first: Float64Array, second: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < first.length; index++) sum += (first[index] ?? 0) * (second[index] ?? 0);
  return sum;
}

function subtract(from: Float64Array, vector: Float64Array, factor: number): void {
  for (let index = 0; index < from.length; index++) from[index] = (from[index] ?? 0) - factor * (vector[index] ?? 0);
}
