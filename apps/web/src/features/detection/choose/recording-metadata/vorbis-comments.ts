import { type ByteReader, lettersAt, numberAt, textOf } from './byte-reader.ts';
import { type Findings, nothingFound } from './findings.ts';
import { writtenDate } from './written-date.ts';
import { placeOfIso6709, placeOfNumbers } from './written-place.ts';

const mostComments = 100;
const mostBlocks = 32;
const mostText = 64 * 1024;

/** `KEY=value` as FLAC, Vorbis and Opus carry it. */
function readComments(bytes: Uint8Array, start: number): Findings {
  const findings = nothingFound();
  let offset = start + 4 + numberAt(bytes, start, 4, 'little');
  const count = Math.min(numberAt(bytes, offset, 4, 'little'), mostComments);
  offset += 4;
  for (let index = 0; index < count && offset + 4 <= bytes.length; index += 1) {
    const size = numberAt(bytes, offset, 4, 'little');
    const comment = textOf(bytes.subarray(offset + 4, offset + 4 + size));
    const equals = comment.indexOf('=');
    const value = comment.slice(equals + 1);
    const key = comment.slice(0, equals).toUpperCase();
    if (key === 'DATE') findings.date ??= writtenDate(value);
    if (key === 'GEO_LOCATION' || key === 'LOCATION') findings.place ??= placeOfIso6709(value) ?? placeOfNumbers(value);
    offset += 4 + size;
  }
  return findings;
}

/** FLAC: the block with comments is one of the first. */
export async function readFlacMetadata(reader: ByteReader): Promise<Findings> {
  let offset = 4;
  for (let count = 0; count < mostBlocks; count += 1) {
    const header = await reader.read(offset, 4);
    if (header.length < 4) break;
    const size = numberAt(header, 1, 3, 'big');
    const kind = header[0] ?? 0;
    if ((kind & 0x7f) === 4) return readComments(await reader.read(offset + 4, Math.min(size, mostText)), 0);
    if (kind >= 0x80) break; // the last block
    offset += 4 + size;
  }
  return nothingFound();
}

/** Ogg with Vorbis or Opus: the comments are the second packet, at the beginning of the second page. */
export async function readOggMetadata(reader: ByteReader): Promise<Findings> {
  const bytes = await reader.read(0, mostText);
  const pageAt = (offset: number) => 27 + (bytes[offset + 26] ?? 0);
  const firstSize = bytes.subarray(27, pageAt(0)).reduce((sum, length) => sum + length, 0);
  const second = pageAt(0) + firstSize;
  if (lettersAt(bytes, second, 4) !== 'OggS') return nothingFound();
  const packet = second + pageAt(second);
  if (lettersAt(bytes, packet, 8) === 'OpusTags') return readComments(bytes, packet + 8);
  return lettersAt(bytes, packet, 7) === '\x03vorbis' ? readComments(bytes, packet + 7) : nothingFound();
}
