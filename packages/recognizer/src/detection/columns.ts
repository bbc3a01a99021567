/**
 * A column of numbers that grows: typed, so that hours of evidence cost megabytes and no garbage collection. It lies in blocks, so
 * that growing copies nothing and leaves little empty.
 */
export interface Column<Stored extends TypedNumbers = TypedNumbers, Finished = Stored> {
  readonly length: number;
  push(value: number): void;
  /** A copy of what was pushed from that index on, as it is stored. */
  since(from: number): Stored;
  /** What `since` of another column of this kind gave. */
  append(stored: TypedNumbers): void;
  /** The numbers pushed, in an array of just that length. The column is empty afterwards. */
  finish(): Finished;
}

export type TypedNumbers = Float32Array | Uint16Array | Uint32Array | Int16Array;

const FIRST_BLOCK = 256;
const LARGEST_BLOCK = 65_536;

/** @param finishing what the finished column is, and by what its numbers are multiplied then */
function createColumn<Stored extends TypedNumbers, Finished extends TypedNumbers>(
  allocate: (length: number) => Stored,
  finishing: { readonly allocate: (length: number) => Finished; readonly unit: number },
): Column<Stored, Finished> {
  const blocks: Stored[] = [];
  let last = allocate(0);
  /** numbers in `last` */
  let filled = 0;
  let length = 0;

  const push = (value: number): void => {
    if (filled === last.length) {
      last = allocate(Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, length)));
      blocks.push(last);
      filled = 0;
    }
    last[filled++] = value;
    length += 1;
  };
  return {
    get length() {
      return length;
    },
    push,
    since(from) {
      const numbers = allocate(length - from);
      let start = 0;
      for (const block of blocks) {
        const end = Math.min(start + block.length, length);
        if (end > from) {
          const first = Math.max(from, start);
          numbers.set(block.subarray(first - start, end - start), first - from);
        }
        start += block.length;
      }
      return numbers;
    },
    append(stored) {
      for (let index = 0; index < stored.length; index++) push(stored[index] ?? 0);
    },
    finish() {
      const numbers = finishing.allocate(length);
      let at = 0;
      for (const block of blocks) {
        for (let index = 0; index < block.length && at < length; index++) numbers[at++] = (block[index] ?? 0) * finishing.unit;
      }
      blocks.length = 0;
      last = allocate(0);
      [filled, length] = [0, 0];
      return numbers;
    },
  };
}

/**
 * Numbers that are multiples of `step` and lie within 32,767 of them; they take half the room until `finish`.
 *
 * @param step 0 for numbers that are kept as they are
 */
export function createStepColumn(step: number): Column<Int16Array | Float32Array, Float32Array> {
  if (step === 0) return createFloatColumn();
  const steps = createColumn(newSteps, { allocate: newFloats, unit: step });
  return {
    ...steps,
    get length() {
      return steps.length;
    },
    push: (value) => steps.push(Math.round(value / step)),
  };
}

const newFloats = (length: number): Float32Array => new Float32Array(length);
const newLabels = (length: number): Uint16Array => new Uint16Array(length);
const newOffsets = (length: number): Uint32Array => new Uint32Array(length);
const newSteps = (length: number): Int16Array => new Int16Array(length);

export const createFloatColumn = (): Column<Float32Array> => createColumn(newFloats, { allocate: newFloats, unit: 1 });
export const createLabelColumn = (): Column<Uint16Array> => createColumn(newLabels, { allocate: newLabels, unit: 1 });
export const createOffsetColumn = (): Column<Uint32Array> => createColumn(newOffsets, { allocate: newOffsets, unit: 1 });
