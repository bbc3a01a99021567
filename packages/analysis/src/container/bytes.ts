/** Small helpers for the first bytes of a file. Reading past the end gives `undefined`, false or fewer characters, and never throws. */

/** Whether the bytes at `offset` are exactly these characters (each below U+0100). */
export function startsWith(bytes: Uint8Array, characters: string, offset = 0): boolean {
  if (bytes.length < offset + characters.length) return false;
  for (let i = 0; i < characters.length; i++) {
    if (bytes[offset + i] !== characters.charCodeAt(i)) return false;
  }
  return true;
}

/** Four bytes as an unsigned number, most significant first. */
export function readUint32(bytes: Uint8Array, offset: number): number | undefined {
  const [a, b, c, d] = bytes.subarray(offset, offset + 4);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

/** One character for each byte. */
export function readCharacters(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
