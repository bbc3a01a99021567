import type { FrontEndConstants } from '../audio/front-end.ts';

/** The graph file of the audio model for browsers, as JSON: everything but the weights. */
export interface WebGraph {
  readonly frontEnd: FrontEndConstants;
  /** The pieces of the weights file, in order. Widened, they are a TFLite file with float32 weights. */
  readonly body: readonly BodyPart[];
}

export type BodyPart =
  /** as they are */
  | { readonly kind: 'bytes'; readonly count: number }
  /** float16 numbers */
  | { readonly kind: 'halves'; readonly count: number }
  /** a float32 scale a row, then the rows as int8 multiples of it */
  | { readonly kind: 'steps'; readonly rows: number; readonly columns: number };

const widenedBytes = (part: BodyPart): number =>
  part.kind === 'bytes' ? part.count : 4 * (part.kind === 'halves' ? part.count : part.rows * part.columns);

/** Size of the body when it is widened. */
export const bodyBytes = (parts: readonly BodyPart[]): number => parts.reduce((sum, part) => sum + widenedBytes(part), 0);

/**
 * Widens a stored body. The runtime could widen weights itself, but then computes each convolution with them in a slow kernel.
 *
 * @param body at an address divisible by four
 * @throws RangeError if the stored bytes are too few
 */
export function widenBody(parts: readonly BodyPart[], stored: Uint8Array<ArrayBuffer>, body: Uint8Array): void {
  let from = 0;
  let to = 0;
  /** A copy, which is aligned. */
  const take = (bytes: number): ArrayBuffer => {
    from += bytes;
    return stored.slice(from - bytes, from).buffer;
  };
  for (const part of parts) {
    const target = body.subarray(to, to + widenedBytes(part));
    to += target.length;
    if (part.kind === 'bytes') {
      target.set(new Uint8Array(take(part.count), 0, part.count));
      continue;
    }
    const numbers = new Float32Array(target.buffer, target.byteOffset, target.byteLength / 4);
    if (part.kind === 'halves') widenHalves(new Uint16Array(take(2 * part.count), 0, part.count), numbers);
    else {
      const { rows, columns } = part;
      const scales = new Float32Array(take(4 * rows), 0, rows);
      const steps = new Int8Array(take(rows * columns), 0, rows * columns);
      for (let index = 0; index < steps.length; index++)
        numbers[index] = (steps[index] ?? 0) * (scales[Math.floor(index / columns)] ?? 0);
    }
  }
}

/** float16 has the bits of float32 with a shorter exponent, biased by 112 less: moved into place, they stand for 2⁻¹¹² of the number. */
function widenHalves(halves: Uint16Array, numbers: Float32Array): void {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
  for (let index = 0; index < halves.length; index++) {
    const half = halves[index] ?? 0;
    bits[index] = ((half & 0x8000) << 16) | ((half & 0x7fff) << 13);
    numbers[index] = (numbers[index] ?? 0) * 2 ** 112;
  }
}
