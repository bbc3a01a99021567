/** A column of numbers that grows: typed, so that hours of evidence cost megabytes and no garbage collection. */
export interface Column<Numbers> {
  readonly length: number;
  push(value: number): void;
  /** A copy of what was pushed from that index on. */
  since(from: number): Numbers;
  /** The numbers pushed, in an array of just that length. */
  finish(): Numbers;
}

type TypedNumbers = Float32Array | Uint16Array | Uint32Array;

function createColumn<Numbers extends TypedNumbers>(allocate: (length: number) => Numbers): Column<Numbers> {
  let numbers = allocate(256);
  let length = 0;
  return {
    get length() {
      return length;
    },
    push(value) {
      if (length === numbers.length) {
        // By half, not by two: at three hours the last spare part is megabytes.
        const larger = allocate(length + (length >> 1));
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = value;
    },
    since(from) {
      const copy = allocate(length - from);
      for (let index = from; index < length; index++) copy[index - from] = numbers[index] ?? 0;
      return copy;
    },
    finish() {
      const exact = allocate(length);
      for (let index = 0; index < length; index++) exact[index] = numbers[index] ?? 0;
      numbers = allocate(0);
      return exact;
    },
  };
}

export const createFloatColumn = (): Column<Float32Array> => createColumn((length) => new Float32Array(length));
export const createLabelColumn = (): Column<Uint16Array> => createColumn((length) => new Uint16Array(length));
export const createOffsetColumn = (): Column<Uint32Array> => createColumn((length) => new Uint32Array(length));
