const MOST_READS = 300;

/** Access to the bytes of a file, wherever it is. */
export interface ByteSource {
  readonly size: number;
  /** Bytes from an offset; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A file that the page was given. @throws DOMException (NotReadableError, from `read`) when it can no longer be read */
export function bytesOfBlob(file: Blob): ByteSource {
  return {
    size: file.size,
    read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Reads parts of a file, at most `mostBytes` in all, because a file may claim anything about itself. */
export function createBoundedReader(source: ByteSource, mostBytes: number) {
  let bytesLeft = mostBytes;
  let readsLeft = MOST_READS;
  return {
    size: source.size,
    /** Bytes from an offset; fewer, or none, at the end of the file or of what may be read. */
    async read(offset: number, length: number): Promise<DataView<ArrayBuffer>> {
      const wanted = Math.min(length, bytesLeft, source.size - offset);
      if (!(offset >= 0 && wanted > 0) || readsLeft === 0) return new DataView(new ArrayBuffer(0));
      bytesLeft -= wanted;
      readsLeft -= 1;
      const { buffer, byteOffset, byteLength } = await source.read(offset, wanted);
      return new DataView(buffer, byteOffset, byteLength);
    },
  };
}

/** Text from an offset, up to `length` bytes, the end of the bytes or the first zero byte. */
export function textAt(
  { buffer, byteOffset, byteLength }: DataView<ArrayBuffer>,
  offset: number,
  length = Number.POSITIVE_INFINITY,
): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).subarray(offset, offset + length);
  return new TextDecoder().decode(bytes).split('\0', 1)[0] ?? '';
}

export type BoundedReader = ReturnType<typeof createBoundedReader>;
