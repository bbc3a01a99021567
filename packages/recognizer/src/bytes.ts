/** Concatenates pieces into a new array. */
function joinBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let position = 0;
  for (const piece of pieces) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
}

/** Joins small pieces so that each yielded one except the last has at least `leastBytes`. A piece that is large enough is not copied. */
export function* gatherBytes(pieces: Iterable<Uint8Array>, leastBytes: number): Generator<Uint8Array, void> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < leastBytes) continue;
    yield waiting.length === 1 ? piece : joinBytes(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield joinBytes(waiting);
}
