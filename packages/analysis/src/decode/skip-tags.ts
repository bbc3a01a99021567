import type { ReadBytes } from '@chiffchaff/recognizer/audio';
import { startsWith } from '../container/bytes.ts';
import { id3Bytes } from '../container/identify-container.ts';
import type { MendedFile } from './mend-wave.ts';

/** More than any recording has. ffmpeg's time grows with the square of their number: 24 s for 40,000. */
const MOST_TAGS = 1000;
/** A file may consist of empty ones. */
const MOST_BLOCKS = 100;
const STREAM_INFO_END = 42;
const COMMENTS = 4;

/**
 * Finds out how to leave out the tags of a FLAC or MP3 that has too many of them for ffmpeg; they are read elsewhere. Sources: RFC 9639,
 * section 8; id3.org, ID3v2.2 to 2.4.
 *
 * @param head the first bytes of the file
 * @returns null for all other files
 */
export async function skipTags(head: Uint8Array, size: number, read: ReadBytes): Promise<MendedFile | null> {
  const gaps = [{ offset: size, bytes: 0, skippedBytes: 0 }];
  if (id3Frames(head) > MOST_TAGS) return { header: new Uint8Array(0), dataOffset: id3Bytes(head), gaps };
  const dataOffset = startsWith(head, 'fLaC') ? await behindManyComments(read) : null;
  if (dataOffset === null) return null;
  const header = head.slice(0, STREAM_INFO_END);
  header[4] = 0x80; // the only block
  return { header, dataOffset, gaps };
}

/** Where the sound of a FLAC with too many comments begins; null if there are not so many. */
async function behindManyComments(read: ReadBytes): Promise<number | null> {
  let areMany = false;
  let offset = 4;
  for (let block = 0; block < MOST_BLOCKS; block++) {
    const [kind = 0x80, ...length] = await read(offset, 4);
    offset += 4;
    if ((kind & 0x7f) === COMMENTS) {
      const vendorBytes = readNumber(await read(offset, 4));
      areMany ||= readNumber(await read(offset + 4 + vendorBytes, 4)) > MOST_TAGS;
    }
    offset += readNumber(Uint8Array.from(length).reverse());
    if ((kind & 0x80) !== 0) return areMany ? offset : null;
  }
  return null;
}

/** How many frames of an ID3v2 tag begin in `head`. */
function id3Frames(head: Uint8Array): number {
  const end = Math.min(head.length, id3Bytes(head));
  const isOld = head[3] === 2;
  let frames = 0;
  for (let at = 10; at < end && head[at] !== 0; frames++) {
    const size = isOld ? head.subarray(at + 3, at + 6) : head.subarray(at + 4, at + 8);
    at += (isOld ? 6 : 10) + readNumber(size.slice().reverse());
  }
  return frames;
}

/** An unsigned number, least significant byte first. */
const readNumber = (bytes: Uint8Array): number => bytes.reduceRight((number, byte) => number * 256 + byte, 0);
