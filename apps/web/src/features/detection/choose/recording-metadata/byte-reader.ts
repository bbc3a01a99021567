/** Reads stretches of a file, and no more than a few of them: a file may say anything about itself. */
export interface ByteReader {
  readonly size: number;
  /** The bytes from an offset on; fewer, or none, where the file or what may be read of it ends. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

const mostBytes = 1024 * 1024;
const mostReads = 300;

/** @throws DOMException (NotReadableError) when the file cannot be read any longer */
export function createByteReader(file: Blob): ByteReader {
  let bytesLeft = mostBytes;
  let readsLeft = mostReads;
  return {
    size: file.size,
    async read(offset, length) {
      const wanted = Math.min(length, bytesLeft, file.size - offset);
      if (!(offset >= 0 && wanted > 0) || readsLeft === 0) return new Uint8Array();
      bytesLeft -= wanted;
      readsLeft -= 1;
      return new Uint8Array(await file.slice(offset, offset + wanted).arrayBuffer());
    },
  };
}

/** A number of one to eight bytes; 0 where the bytes end before it does. */
export function numberAt(bytes: Uint8Array, offset: number, length: number, order: 'little' | 'big'): number {
  let value = 0;
  if (offset + length > bytes.length) return 0;
  for (let index = 0; index < length; index += 1)
    value = value * 256 + (bytes[order === 'big' ? offset + index : offset + length - 1 - index] ?? 0);
  return value;
}

/** Four-letter codes and the like: a character for each byte. */
export const lettersAt = (bytes: Uint8Array, offset: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(offset, offset + length));

/** Text up to its end or its first zero. */
export function textOf(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin1' = 'utf-8'): string {
  const text = new TextDecoder(encoding).decode(bytes);
  const end = text.indexOf('\0');
  return end === -1 ? text : text.slice(0, end);
}
