/** Assembles files byte by byte, for tests. */

export function concat(...parts: readonly (Uint8Array | string | readonly number[])[]): Uint8Array {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
}

export function le16(value: number): Uint8Array {
  return littleEndian(value, 2);
}

export function le32(value: number): Uint8Array {
  return littleEndian(value, 4);
}

export function le64(value: number): Uint8Array {
  return littleEndian(value, 8);
}

export function be16(value: number): Uint8Array {
  return littleEndian(value, 2).reverse();
}

export function be32(value: number): Uint8Array {
  return littleEndian(value, 4).reverse();
}

export function zeros(length: number): Uint8Array {
  return new Uint8Array(length);
}

function littleEndian(value: number, length: number): Uint8Array {
  let rest = value;
  return Uint8Array.from({ length }, () => {
    const byte = rest % 256;
    rest = Math.floor(rest / 256);
    return byte;
  });
}

/** Pseudorandom bytes, the same every time. */
export function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 24;
  });
}
