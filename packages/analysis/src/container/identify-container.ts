import { readCharacters, readUint32, startsWith } from './bytes.ts';
import { ac3FrameLength, adtsFrameLength, type FrameLength, isFrameChain, mpegAudioFrameLength } from './mpeg-frames.ts';
import { nameOtherKind, UNKNOWN_KIND, ZEROS_KIND } from './other-kinds.ts';
import { type RecordingKind, recordingKinds } from './recording-kinds.ts';

/** Bytes from the start of a file that {@link identifyContainer} needs. */
export const HEAD_BYTES = 65_536;

export type Identified =
  | { readonly kind: 'recording'; readonly recording: RecordingKind }
  /** `found` completes "This is". */
  | { readonly kind: 'other'; readonly found: string };

const recording = (kind: keyof typeof recordingKinds): Identified => ({ kind: 'recording', recording: recordingKinds[kind] });

const W64_GUID = 'riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0';
const ASF_GUID = '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c';

const fixedSignatures: readonly (readonly [characters: string, kind: keyof typeof recordingKinds])[] = [
  [W64_GUID, 'w64'],
  ['caff', 'caf'],
  ['fLaC', 'flac'],
  ['OggS', 'ogg'],
  ['wvpk', 'wavpack'],
  ['#!AMR\n', 'amr'],
  ['#!AMR-WB\n', 'amr'],
  [ASF_GUID, 'asf'],
];

/** First boxes of old QuickTime files; newer ones start with `ftyp`. */
const QUICKTIME_BOXES = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);
const PICTURE_BRAND = /^(hei[cx]|mif1|msf1|avi[fs]|crx )$/;

/**
 * Identifies a file by its content, never by its name or declared type: both are often wrong, and a name must not choose which of ffmpeg's
 * many demuxers sees the bytes.
 *
 * @param head the file's first {@link HEAD_BYTES}, or all of it if it is shorter
 * @param readAt reads `HEAD_BYTES` at an offset in the file; needed for a recording behind a long ID3 tag (a cover picture)
 */
export async function identifyContainer(head: Uint8Array, readAt: (offset: number) => Promise<Uint8Array>): Promise<Identified> {
  let bytes = head;
  let offset = 0;
  // Some programs put a second tag in front of the first.
  for (let tags = 0; tags < 4 && id3Bytes(bytes) > 0; tags++) {
    offset += id3Bytes(bytes);
    bytes = await readAt(offset);
  }
  if (offset === 0) return identifyBytes(head);
  if (bytes.length === 0) return recording('mp3'); // only a tag: truncated, as ffmpeg will report
  const identified = identifyBytes(bytes);
  return identified.kind === 'recording' ? identified : recording('mp3');
}

function identifyBytes(head: Uint8Array): Identified {
  for (const [characters, kind] of fixedSignatures) {
    if (startsWith(head, characters)) return recording(kind);
  }
  const form = readCharacters(head, 8, 12);
  if (form === 'WAVE') {
    if (startsWith(head, 'RIFF') || startsWith(head, 'RIFX')) return recording('wav');
    if (startsWith(head, 'RF64') || startsWith(head, 'BW64')) return recording('rf64');
  }
  if (startsWith(head, 'FORM') && (form === 'AIFF' || form === 'AIFC')) return recording('aiff');
  if (startsWith(head, '\x1a\x45\xdf\xa3')) {
    return recording(readCharacters(head, 4, 128).includes('webm') ? 'webm' : 'matroska');
  }
  const box = readCharacters(head, 4, 8);
  if (box === 'ftyp') {
    if (PICTURE_BRAND.test(form)) return { kind: 'other', found: nameOtherKind(head) };
    return recording(form === 'qt  ' ? 'mov' : /^3g/.test(form) ? '3gp' : 'mp4');
  }
  if (QUICKTIME_BOXES.has(box) && (readUint32(head, 0) ?? 0) !== 0) return recording('mov');

  for (const [kind, frameLength] of frameKinds) {
    if (isFrameChain(head, 0, 3, frameLength)) return recording(kind);
  }
  const found = nameOtherKind(head);
  if (found !== UNKNOWN_KIND && found !== ZEROS_KIND) return { kind: 'other', found };
  return identifyLateFrames(head) ?? { kind: 'other', found };
}

const frameKinds: readonly (readonly [kind: keyof typeof recordingKinds, frameLength: FrameLength])[] = [
  ['mp3', mpegAudioFrameLength],
  ['aac', adtsFrameLength],
  ['ac3', ac3FrameLength],
];

/** Cuts from a broadcast start inside a frame: looks for a chain of frames after some bytes of rubbish. */
function identifyLateFrames(head: Uint8Array): Identified | undefined {
  for (let offset = 1; offset < head.length - 4; offset++) {
    const byte = head[offset];
    if (byte !== 0xff && byte !== 0x0b) continue;
    for (const [kind, frameLength] of frameKinds) {
      // Running out of bytes proves nothing here, so the whole chain must be present.
      if (isFrameChain(head, offset, 6, frameLength, false)) return recording(kind);
    }
  }
  return undefined;
}

/** Length in bytes of the ID3v2 tag at the start; 0 if there is none. Source: id3.org, ID3v2.4 section 3.1. */
export function id3Bytes(bytes: Uint8Array): number {
  if (!startsWith(bytes, 'ID3') || bytes.length < 10) return 0;
  const [major, , flags, a, b, c, d] = bytes.subarray(3, 10);
  if (major === 0xff || [a, b, c, d].some((byte) => byte === undefined || byte > 127)) return 0;
  const size = ((a ?? 0) << 21) | ((b ?? 0) << 14) | ((c ?? 0) << 7) | (d ?? 0);
  const footer = ((flags ?? 0) & 0x10) === 0 ? 0 : 10;
  return 10 + size + footer;
}
