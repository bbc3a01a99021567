/**
 * A growable column of numbers. Typed arrays, so that hours of evidence cost megabytes and no garbage collection; in blocks, so
 * that growing copies nothing and leaves little empty.
 */
export interface Column<Stored extends TypedNumbers = TypedNumbers> {
  readonly length: number;
  push(value: number): void;
  /** Pushes many values, several times as fast as one by one. */
  pushAll(values: TypedNumbers): void;
  /** Copies stored values from an index on, until `into` is full. */
  read(from: number, into: TypedNumbers): void;
  /** A copy of the stored values from an index on. */
  since(from: number): Stored;
  /** A copy of the stored values between two indices. */
  slice(from: number, to: number): Stored;
  /** Appends stored values that `since` of another column of this kind returned. */
  append(stored: TypedNumbers): void;
  /** All stored values in an array of exactly that length. Empties the column. */
  finish(): Stored;
}

export type TypedNumbers<Buffer extends ArrayBufferLike = ArrayBufferLike> =
  | Float64Array<Buffer>
  | Float32Array<Buffer>
  | Uint16Array<Buffer>
  | Uint32Array<Buffer>
  | Int16Array<Buffer>;

const FIRST_BLOCK = 256;
const LARGEST_BLOCK = 65_536;

function createColumn<Stored extends TypedNumbers<ArrayBuffer>>(allocate: (length: number) => Stored): Column<Stored> {
  const blocks: Stored[] = [];
  let last = allocate(0);
  /** numbers in `last` */
  let filled = 0;
  let length = 0;

  const openBlock = (): void => {
    last = allocate(Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, length)));
    blocks.push(last);
    filled = 0;
  };
  const pushAll = (values: TypedNumbers): void => {
    for (let from = 0; from < values.length; ) {
      if (filled === last.length) openBlock();
      const part = values.subarray(from, from + last.length - filled);
      last.set(part, filled);
      filled += part.length;
      length += part.length;
      from += part.length;
    }
  };
  /** Calls `use` with each block's values from an index on, and how many such values come before them. */
  const eachPart = (from: number, use: (part: Stored, at: number) => void): void => {
    let start = 0;
    for (const block of blocks) {
      const next = start + block.length;
      const end = Math.min(next, length);
      const first = Math.max(from, start);
      // `subarray` returns an array of the same kind.
      if (end > first) use(block.subarray(first - start, end - start) as Stored, first - from);
      start = next;
    }
  };
  const read = (from: number, into: TypedNumbers): void =>
    eachPart(from, (part, at) => {
      if (at < into.length) into.set(part.subarray(0, into.length - at), at);
    });
  const slice = (from: number, to: number): Stored => {
    const numbers = allocate(Math.max(0, to - from));
    read(from, numbers);
    return numbers;
  };
  return {
    get length() {
      return length;
    },
    push(value) {
      if (filled === last.length) openBlock();
      last[filled++] = value;
      length += 1;
    },
    pushAll,
    read,
    since: (from) => slice(from, length),
    slice,
    append: pushAll,
    finish() {
      const numbers = allocate(length);
      eachPart(0, (part, at) => {
        numbers.set(part, at);
        // Frees its memory now. Otherwise, hours of evidence would be held twice until the garbage is collected.
        part.buffer.transfer(0);
      });
      blocks.length = 0;
      last = allocate(0);
      [filled, length] = [0, 0];
      return numbers;
    },
  };
}

/**
 * Stores numbers as rounded multiples of `step`.
 *
 * @param step 0 stores numbers as they are
 * @param limit numbers are limited to ±`limit`, at most 32,767 steps
 */
export function createStepColumn(step: number, limit: number): Column<Int16Array | Float32Array> {
  if (step === 0) return createFloatColumn();
  const steps = createColumn(newSteps);
  // Reused: otherwise 64 MB of such arrays accumulate until V8 collects them, and fragment the memory that is kept.
  let rounded = newSteps(0);
  const stepOf = (value: number): number => Math.round(Math.min(Math.max(value, -limit), limit) / step);
  return {
    ...steps,
    get length() {
      return steps.length;
    },
    push: (value) => steps.push(stepOf(value)),
    pushAll(values) {
      if (rounded.length < values.length) rounded = newSteps(values.length);
      for (let index = 0; index < values.length; index++) rounded[index] = stepOf(values[index] ?? 0);
      steps.pushAll(rounded.subarray(0, values.length));
    },
  };
}

const newFloats = (length: number): Float32Array<ArrayBuffer> => new Float32Array(length);
const newLabels = (length: number): Uint16Array<ArrayBuffer> => new Uint16Array(length);
const newOffsets = (length: number): Uint32Array<ArrayBuffer> => new Uint32Array(length);
const newSteps = (length: number): Int16Array<ArrayBuffer> => new Int16Array(length);

export const createFloatColumn = (): Column<Float32Array> => createColumn(newFloats);
export const createLabelColumn = (): Column<Uint16Array> => createColumn(newLabels);
export const createOffsetColumn = (): Column<Uint32Array> => createColumn(newOffsets);
