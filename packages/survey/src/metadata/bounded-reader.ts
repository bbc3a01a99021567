const MOST_READS = 300;

/** The bytes of a file, wherever it is. */
export interface ByteSource {
  readonly size: number;
  /** Bytes from an offset on; fewer where the file ends. */
  read(offset: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A file that a page has been given. @throws DOMException (NotReadableError, from `read`) when it cannot be read any longer */
export function bytesOfBlob(file: Blob): ByteSource {
  return {
    size: file.size,
    read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Reads parts of a file, and no more than so much of it: a file may say anything about itself. */
export function createBoundedReader(source: ByteSource, mostBytes: number) {
  let bytesLeft = mostBytes;
  let readsLeft = MOST_READS;
  return {
    size: source.size,
    /** The bytes from an offset on; fewer, or none, where the file or what may be read of it ends. */
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

/** Text from an offset on, up to `length` bytes, the end of the bytes or the first zero. */
export function textAt(
  { buffer, byteOffset, byteLength }: DataView<ArrayBuffer>,
  offset: number,
  length = Number.POSITIVE_INFINITY,
): string {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).subarray(offset, offset + length);
  return new TextDecoder().decode(bytes).split('\0', 1)[0] ?? '';
}

export type BoundedReader = ReturnType<typeof createBoundedReader>;
