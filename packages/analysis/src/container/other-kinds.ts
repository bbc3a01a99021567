import { readCharacters, startsWith } from './bytes.ts';

/**
 * Files that people send by mistake, so that the answer can say what was found. Names complete "This is".
 *
 * Offsets are from the file's first byte; the first match wins.
 */
const signatures: readonly (readonly [characters: string, found: string, offset?: number])[] = [
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['\x89PNG\r\n\x1a\n', 'a PNG picture'],
  ['GIF8', 'a GIF picture'],
  ['II*\0', 'a TIFF picture'],
  ['MM\0*', 'a TIFF picture'],
  ['8BPS', 'a Photoshop picture'],
  ['PK\x03\x04', 'a ZIP archive'],
  ['PK\x05\x06', 'an empty ZIP archive'],
  ['\x1f\x8b', 'a gzip archive'],
  ['BZh', 'a bzip2 archive'],
  ['\xfd7zXZ\0', 'an xz archive'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!\x1a\x07', 'a RAR archive'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard archive'],
  ['ustar', 'a tar archive', 257],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an Office document'],
  ['{\\rtf', 'an RTF document'],
  ['%!PS', 'a PostScript document'],
  ['\x7fELF', 'a program'],
  ['\xcf\xfa\xed\xfe', 'a program'],
  ['\xca\xfe\xba\xbe', 'a program'],
  ['SQLite format 3\0', 'a database'],
  ['wOFF', 'a font'],
  ['wOF2', 'a font'],
  ['MThd', 'a MIDI file, which contains notes but no audio'],
  ['FLV\x01', 'a Flash video'],
  ['\0\0\x01\xba', 'an MPEG video'],
  ['\0\0\x01\xb3', 'an MPEG video'],
  ['.snd', 'a Sun AU recording'],
  ['.ra\xfd', 'a RealAudio recording'],
  ['.RMF', 'a RealMedia file'],
  ['MAC ', "a Monkey's Audio recording"],
  ['TTA1', 'a True Audio recording'],
  ['MPCK', 'a Musepack recording'],
  ['MP+', 'a Musepack recording'],
  ['DSD ', 'a DSD recording'],
  ['FRM8', 'a DSD recording'],
  ['\x7f\xfe\x80\x01', 'a DTS recording'],
  ['#!SILK', 'a SILK voice message'],
  ['\x02#!SILK', 'a SILK voice message'],
  ['Creative Voice File', 'a Creative Voice recording'],
];

/** Signatures so short that text may start with them; they count only if the bytes are not text. */
const shortSignatures: readonly (readonly [characters: string, found: string])[] = [
  ['BM', 'a BMP picture'],
  ['MZ', 'a program'],
];

const RIFF_FORMS: Readonly<Record<string, string>> = {
  'AVI ': 'an AVI video',
  WEBP: 'a WebP picture',
  RMID: 'a MIDI file, which contains notes but no audio',
};

/** ISO base media brands (after `ftyp`) of files without audio. */
const PICTURE_BRANDS: Readonly<Record<string, string>> = {
  heic: 'a HEIC picture',
  heix: 'a HEIC picture',
  mif1: 'a HEIF picture',
  msf1: 'a HEIF picture',
  avif: 'an AVIF picture',
  avis: 'an AVIF picture',
  'crx ': 'a camera’s raw image',
};

/** Beginnings of text files, in lower case and without leading white space. */
const textBeginnings: readonly (readonly [beginning: string | RegExp, found: string])[] = [
  ['#extm3u', 'a playlist, which lists recordings but contains none'],
  ['[playlist]', 'a playlist, which lists recordings but contains none'],
  ['<asx', 'a playlist, which lists recordings but contains none'],
  ['ffconcat', 'a playlist, which lists recordings but contains none'],
  [/^<\?xml[^>]*>\s*<playlist/, 'a playlist, which lists recordings but contains none'],
  [/^(<!doctype html|<html|<\?xml[^>]*>\s*<!doctype html)/, 'an HTML page'],
  [/^(<svg|<\?xml[^>]*>\s*<svg)/, 'an SVG picture'],
  ['<?xml', 'an XML document'],
  [/^selection\tview\tchannel/, 'a selection table'],
  [/^[{[]\s*("|\{|\[|\d|\])/, 'a JSON document'],
];

export const UNKNOWN_KIND = 'a file of an unknown type';
export const ZEROS_KIND = 'a file of nothing but zeros, probably from an interrupted copy';

/** Names the content of a file that is no recording; the last resort is "a file of an unknown type". */
export function nameOtherKind(head: Uint8Array): string {
  if (startsWith(head, 'RIFF')) {
    return RIFF_FORMS[readCharacters(head, 8, 12)] ?? 'a RIFF file without audio';
  }
  if (startsWith(head, 'FORM')) return 'an IFF file';
  if (startsWith(head, 'ftyp', 4)) return PICTURE_BRANDS[readCharacters(head, 8, 12)] ?? 'an MP4 file of an unknown type';
  // PDF readers look for the signature in the first kilobyte.
  if (readCharacters(head, 0, 1024).includes('%PDF-')) return 'a PDF document';
  if ([0, 188, 376].every((offset) => head[offset] === 0x47)) return 'an MPEG transport stream';
  for (const [characters, found, offset] of signatures) {
    if (startsWith(head, characters, offset ?? 0)) return found;
  }
  if (head.every((byte) => byte === 0)) return ZEROS_KIND;
  const text = nameText(head);
  if (text !== undefined) return text;
  return shortSignatures.find(([characters]) => startsWith(head, characters))?.[1] ?? UNKNOWN_KIND;
}

function nameText(head: Uint8Array): string | undefined {
  const text = readText(head);
  if (text === undefined) return undefined;
  const beginning = text.trimStart().slice(0, 1024).toLowerCase();
  for (const [start, found] of textBeginnings) {
    if (typeof start === 'string' ? beginning.startsWith(start) : start.test(beginning)) return found;
  }
  return 'a text file';
}

/** The bytes as text, if they are text: UTF-8 or UTF-16 with a byte-order mark, without control characters. */
function readText(head: Uint8Array): string | undefined {
  const encoding = startsWith(head, '\xff\xfe') ? 'utf-16le' : startsWith(head, '\xfe\xff') ? 'utf-16be' : 'utf-8';
  try {
    // The text may end inside a character, which is fine.
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what tells text from other bytes.
    return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
