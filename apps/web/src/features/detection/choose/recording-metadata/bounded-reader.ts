const MOST_READS = 300;

/** @throws DOMException (NotReadableError) when the file cannot be read any longer */
export function createBoundedReader(file: Blob, mostBytes: number) {
  let bytesLeft = mostBytes;
  let readsLeft = MOST_READS;
  return {
    size: file.size,
    /** The bytes from an offset on; fewer, or none, where the file or what may be read of it ends. */
    async read(offset: number, length: number) {
      const wanted = Math.min(length, bytesLeft, file.size - offset);
      if (!(offset >= 0 && wanted > 0) || readsLeft === 0) return new DataView(new ArrayBuffer(0));
      bytesLeft -= wanted;
      readsLeft -= 1;
      return new DataView(await file.slice(offset, offset + wanted).arrayBuffer());
    },
  };
}

/** Text from an offset on, up to `length` bytes, the end of the bytes or the first zero. */
export function textAt(
  { buffer, byteOffset, byteLength }: DataView<ArrayBuffer>,
  offset: number,
  length = Number.POSITIVE_INFINITY,
): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).subarray(offset, offset + length);
  return new TextDecoder().decode(bytes).split('\0', 1)[0] ?? '';
}

/** Reads parts of a file, and no more than so much of it: a file may say anything about itself. */
export type BoundedReader = ReturnType<typeof createBoundedReader>;
