/** Numbers and columns as bytes and back, exactly as they are. To be read by the machine that wrote them, a moment later. */
import { RecognizerError } from '../../errors.ts';
import type { TypedNumbers } from './columns.ts';

export function writeCheckpoint(numbers: readonly number[], columns: readonly TypedNumbers[]): Uint8Array {
  const header = Float64Array.of(numbers.length, columns.length, ...numbers, ...columns.map(({ length }) => length));
  const bytes = new Uint8Array(columns.reduce((length, column) => length + column.byteLength, header.byteLength));
  let position = 0;
  for (const column of [header, ...columns]) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), position);
    position += column.byteLength;
  }
  return bytes;
}

/**
 * @param like a column of each kind, as they were written
 * @throws RecognizerError `EVIDENCE_UNREADABLE` when the bytes hold something else
 */
export function readCheckpoint(
  bytes: Uint8Array,
  like: readonly TypedNumbers[],
): { numbers: readonly number[]; parts: readonly TypedNumbers[] } {
  let position = 0;
  const read = (length: number): ArrayBuffer => {
    if (!(position + length <= bytes.length)) {
      throw new RecognizerError('EVIDENCE_UNREADABLE', { reason: `ends after ${bytes.length} bytes` });
    }
    // Copied, not sliced: of some kinds of byte arrays a slice is a view.
    const part = new Uint8Array(length);
    part.set(bytes.subarray(position, position + length));
    position += length;
    return part.buffer;
  };
  const [numberCount = 0, columnCount = 0] = new Float64Array(read(16));
  if (columnCount !== like.length) {
    throw new RecognizerError('EVIDENCE_UNREADABLE', { reason: `${columnCount} columns; ${like.length} are known` });
  }
  const numbers = [...new Float64Array(read(8 * numberCount))];
  const lengths = new Float64Array(read(8 * columnCount));
  const parts = like.map((column, index) => {
    const buffer = read((lengths[index] ?? 0) * column.BYTES_PER_ELEMENT);
    if (column instanceof Float32Array) return new Float32Array(buffer);
    if (column instanceof Int16Array) return new Int16Array(buffer);
    return column instanceof Uint16Array ? new Uint16Array(buffer) : new Uint32Array(buffer);
  });
  return { numbers, parts };
}
