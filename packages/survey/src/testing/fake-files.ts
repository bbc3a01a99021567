/** For tests: recordings with metadata, as recorders and phones write them, in bytes. */

type Part = string | number | readonly number[] | Uint8Array;

/** Encodes text as one byte per character, a number as one byte, a list as its bytes. */
export function bytesOf(...parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) =>
    typeof part === 'string' ? [...part].map((letter) => letter.charCodeAt(0)) : typeof part === 'number' ? [part] : part,
  );
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

export const big = (value: number, length = 4): number[] =>
  Array.from({ length }, (_, index) => Math.floor(value / 256 ** (length - 1 - index)) % 256);
export const little = (value: number, length = 4): number[] => big(value, length).toReversed();
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
export const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

export const chunk = (name: string, content: Uint8Array): Uint8Array =>
  bytesOf(name, little(content.length), content, content.length % 2 === 1 ? [0] : []);
export const wave = (...chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  bytesOf('RIFF', little(4 + chunks.reduce((sum, { length }) => sum + length, 0)), 'WAVE', ...chunks);

export const box = (name: string, ...content: readonly Part[]): Uint8Array => {
  const inside = bytesOf(...content);
  return bytesOf(big(8 + inside.length), name, inside);
};
export const fileType = box('ftyp', 'M4A ', big(0), 'M4A isom');

export const comments = (...list: readonly string[]): Uint8Array =>
  bytesOf(little(4), 'test', little(list.length), ...list.flatMap((entry) => [little(utf8(entry).length), utf8(entry)]));

const safe = (value: number): number[] => [value >> 21, (value >> 14) & 127, (value >> 7) & 127, value & 127];
export function id3(version: 3 | 4, frames: { readonly [name: string]: Uint8Array }): Uint8Array<ArrayBuffer> {
  const size = (value: number) => (version === 4 ? safe(value) : big(value));
  const body = bytesOf(...Object.entries(frames).flatMap(([name, text]) => [name, size(text.length), [0, 0], text]));
  return bytesOf('ID3', version, [0, 0], safe(body.length), body);
}

/** @param isFirst whether it is the first page of its stream */
export function oggPage(packet: Uint8Array, isFirst = false): Uint8Array {
  const lacing = [...Array.from({ length: Math.floor(packet.length / 255) }, () => 255), packet.length % 255];
  return bytesOf('OggS', 0, isFirst ? 2 : 0, zeros(20), lacing.length, lacing, packet);
}
