import type { PredictionErrorCode } from '../errors.ts';
import { be32, concat, le32, le64, noise, zeros } from './bytes.ts';
import { makeAiff } from './make-aiff.ts';
import { makeSilentFlac, makeStreamInfo } from './make-flac.ts';
import { box, makeMov } from './make-mov.ts';
import { makeOggPage, makeOpusHead } from './make-ogg.ts';
import { makeWav } from './make-wav.ts';

/**
 * Files that are no recordings, or only look like some: sent by mistake, damaged by a broken transfer, or made to do harm. Each must get
 * its code within seconds and leave no process behind. They are generated, so that tests of other packages can use them.
 */
export interface BadRecording {
  /** What the file is; used in test titles. */
  readonly what: string;
  /** A file name that it may come with, which must not matter. */
  readonly fileName: string;
  readonly bytes: () => Uint8Array;
  readonly code: PredictionErrorCode;
  /** What its sentence says, if that matters. */
  readonly says?: RegExp;
}

/** The maximum length under which {@link badRecordings} get their codes. */
export const BAD_RECORDINGS_MAX_SECONDS = 200;

const file = (
  what: string,
  fileName: string,
  bytes: Uint8Array | string | (() => Uint8Array),
  code: PredictionErrorCode,
  says?: RegExp,
): BadRecording => ({
  what,
  fileName,
  bytes: () => (typeof bytes === 'function' ? bytes() : concat(bytes)),
  code,
  ...(says === undefined ? {} : { says }),
});

const somethingElse = (what: string, fileName: string, bytes: Uint8Array | string | (() => Uint8Array), says: RegExp) =>
  file(what, fileName, bytes, 'RECORDING_UNSUPPORTED', says);

const otherThings: readonly BadRecording[] = [
  somethingElse('plain text', 'notes.wav', 'Heard a robin at six.\n', /^This is a text file\. /),
  somethingElse('text in UTF-16', 'notes.mp3', Buffer.from('\ufeffHeard a robin.', 'utf16le'), /a text file/),
  somethingElse('an HTML page', 'download.mp3', '\n<!DOCTYPE html><html><body>Sign in</body></html>', /an HTML page/),
  somethingElse('a JSON document', 'answer.wav', '{"error": "expired"}', /a JSON document/),
  somethingElse('an XML document', 'sheet.wav', '<?xml version="1.0"?><a/>', /an XML document/),
  somethingElse('an SVG picture', 'logo.ogg', '<svg xmlns="http://www.w3.org/2000/svg"/>', /an SVG picture/),
  somethingElse('a playlist', 'stream.mp3', '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n', /a playlist/),
  somethingElse('a playlist of another kind', 'radio.mp3', '[playlist]\nFile1=http://127.0.0.1/a.mp3\n', /a playlist/),
  somethingElse('a list of files for ffmpeg', 'a.mp3', "ffconcat version 1.0\nfile '/etc/passwd'\n", /a playlist/),
  somethingElse('a PDF document', 'scan.m4a', '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj', /a PDF document/),
  somethingElse('a PDF document behind rubbish', 'scan.m4a', concat(zeros(100), '%PDF-1.4\n'), /a PDF document/),
  somethingElse('a ZIP archive', 'recordings.zip', 'PK\x03\x04\x14\0\0\0\x08\0', /a ZIP archive/),
  somethingElse('a gzip archive', 'a.flac', '\x1f\x8b\x08\0\0\0\0\0', /a gzip archive/),
  somethingElse('a tar archive', 'a.wav', concat('a.wav', zeros(252), 'ustar\0', zeros(500)), /a tar archive/),
  somethingElse('a JPEG picture', 'IMG_1.m4a', '\xff\xd8\xff\xe0\0\x10JFIF\0', /a JPEG picture/),
  somethingElse('a PNG picture', 'spectrogram.wav', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', /a PNG picture/),
  somethingElse('a WebP picture', 'a.wav', concat('RIFF', le32(20), 'WEBPVP8 ', zeros(12)), /a WebP picture/),
  somethingElse('a HEIC picture', 'a.m4a', box('ftyp', 'heic', be32(0), 'mif1heic'), /a HEIC picture/),
  somethingElse('an AVI video', 'a.wav', concat('RIFF', le32(20), 'AVI LIST', zeros(12)), /an AVI video/),
  somethingElse(
    'an MPEG transport stream',
    'a.mp3',
    () => concat(...Array(20).fill(concat('G', zeros(187)))),
    /transport stream/,
  ),
  somethingElse('a MIDI file', 'song.mp3', 'MThd\0\0\0\x06\0\x01\0\x01\0\x60', /a MIDI file/),
  somethingElse('a program', 'player.mp3', concat('MZ\x90\0\x03\0\0\0', noise(500)), /a program/),
  somethingElse('a database', 'a.ogg', 'SQLite format 3\0\x10\0', /a database/),
  somethingElse('a recording that is not read', 'a.ape', 'MAC \x96\x0f\0\0', /Monkey's Audio/),
  somethingElse('zeros', 'copy.wav', zeros(100_000), /a file of nothing but zeros/),
  somethingElse('random bytes', 'a.wav', () => noise(1_000_000), /a file of an unknown type/),
  somethingElse('a single byte', 'a.wav', '\x80', /a file of an unknown type/),
];

const xing = (frames: number): Uint8Array =>
  concat([0xff, 0xfb, 0x90, 0x64], zeros(32), 'Xing', be32(1), be32(frames), zeros(417 - 48));

const cutOff: readonly BadRecording[] = [
  file('an empty file', 'a.wav', '', 'RECORDING_EMPTY'),
  file(
    'a WAV that ends in its header',
    'a.wav',
    concat('RIFF', le32(1000), 'WAVE'),
    'RECORDING_DAMAGED',
    /looks like WAV, but it ends too early/,
  ),
  file('a WAV without samples', 'a.wav', () => makeWav({ seconds: 0 }), 'RECORDING_EMPTY'),
  file(
    'a WAV of a tenth of a second',
    'a.wav',
    () => makeWav({ seconds: 0.1 }),
    'RECORDING_TOO_SHORT',
    /This one is 0\.1 seconds/,
  ),
  file(
    'a WAV that is cut off after a tenth of a second',
    'a.wav',
    () => makeWav({ seconds: 0.1, stated: { dataBytes: 9_600_000 } }),
    'RECORDING_TOO_SHORT',
  ),
  file('an MP4 that ends before its index', 'a.m4a', () => makeMov().subarray(0, 20), 'RECORDING_DAMAGED', /ends too early/),
  file('an MP4 whose index never came', 'a.mov', box('mdat', noise(10_000)), 'RECORDING_DAMAGED', /ends too early/),
  file('a FLAC that is only its signature', 'a.flac', 'fLaC', 'RECORDING_DAMAGED', /looks like FLAC/),
  file('a FLAC that is only its header', 'a.flac', () => makeStreamInfo({}), 'RECORDING_EMPTY'),
  file('an Ogg that ends in its first page', 'a.ogg', 'OggS\0\x02\0\0\0\0', 'RECORDING_DAMAGED', /looks like OGG/),
  file('a WebM that is only its header', 'a.webm', '\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska', 'RECORDING_DAMAGED'),
  file('an ID3 tag without music', 'a.mp3', concat('ID3\x04\0\0\0\0\0\x10', zeros(16)), 'RECORDING_DAMAGED', /looks like MP3/),
  file('an ID3 tag with text behind it', 'a.mp3', concat('ID3\x04\0\0\0\0\0\0', 'hello, hello'), 'RECORDING_DAMAGED'),
  file(
    'a WMA that is only its signature',
    'a.wma',
    '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c',
    'RECORDING_DAMAGED',
  ),
  file('an AMR that is only its signature', 'a.amr', '#!AMR\n', 'RECORDING_EMPTY'),
  file('a CAF that is only its signature', 'a.caf', 'caff\0\x01\0\0', 'RECORDING_DAMAGED'),
  file('an AIFF that is only its signature', 'a.aiff', concat('FORM', be32(4), 'AIFF'), 'RECORDING_DAMAGED'),
  file('a WavPack of random bytes', 'a.wv', () => concat('wvpk', noise(5000)), 'RECORDING_DAMAGED'),
];

const lies: readonly BadRecording[] = [
  file('a WAV of 0 Hz', 'a.wav', () => makeWav({ stated: { sampleRate: 0 } }), 'RECORDING_DAMAGED'),
  file('a WAV of 2³²−1 Hz', 'a.wav', () => makeWav({ stated: { sampleRate: 2 ** 32 - 1 } }), 'RECORDING_DAMAGED'),
  file('a WAV of 1 Hz', 'a.wav', () => makeWav({ stated: { sampleRate: 1 } }), 'RECORDING_TOO_DEMANDING', /rate of 1 Hz/),
  file('a WAV of 2 GHz', 'a.wav', () => makeWav({ stated: { sampleRate: 2_000_000_000 } }), 'RECORDING_TOO_DEMANDING'),
  file('a WAV of no channels', 'a.wav', () => makeWav({ stated: { channels: 0 } }), 'RECORDING_DAMAGED'),
  file('a WAV of 65,535 channels', 'a.wav', () => makeWav({ stated: { channels: 65_535 } }), 'RECORDING_DAMAGED'),
  file('a WAV of 64 channels', 'a.wav', () => makeWav({ channels: 64 }), 'RECORDING_TOO_DEMANDING', /64 channels/),
  file('a WAV of 0 bits', 'a.wav', () => makeWav({ stated: { bits: 0, blockAlign: 0 } }), 'RECORDING_UNSUPPORTED'),
  file(
    'a WAV in a coding nobody knows',
    'a.wav',
    () => makeWav({ stated: { formatTag: 0x4242 } }),
    'RECORDING_UNSUPPORTED',
    /coding/,
  ),
  file('a WAV whose format never ends', 'a.wav', () => makeWav({ stated: { fmtBytes: 2 ** 32 - 1 } }), 'RECORDING_DAMAGED'),
  file('a W64 whose chunks have no length', 'a.w64', () => makeEndlessW64(), 'RECORDING_DAMAGED'),
  file(
    'a CAF with a chunk longer than any file',
    'a.caf',
    concat('caff\0\x01\0\0', 'desc', [0x7f, 255, 255, 255, 255, 255, 255, 0], zeros(200)),
    'RECORDING_DAMAGED',
  ),
  file('an AIFF of infinite Hz', 'a.aiff', () => makeAiff({ sampleRate: '\x7f\xff\x80\0\0\0\0\0\0\0' }), 'RECORDING_DAMAGED'),
  file(
    'a MOV with four thousand million samples',
    'a.m4a',
    () => makeMov({ stated: { samples: 2 ** 32 - 1, sizesInTable: true } }),
    'RECORDING_DAMAGED',
  ),
  file('a MOV of 0 Hz', 'a.mov', () => makeMov({ sampleRate: 0 }), 'RECORDING_DAMAGED'),
  file('a MOV whose sound lies behind its end', 'a.mov', () => makeMov({ chunkOffset: 0x7000_0000 }), 'RECORDING_DAMAGED'),
  file('a MOV that is copy-protected', 'a.m4p', () => makeMov({ coding: 'drms' }), 'RECORDING_UNSUPPORTED', /copy-protected/),
  file('a MOV in a coding nobody knows', 'a.mov', () => makeMov({ coding: 'zzzz' }), 'RECORDING_UNSUPPORTED', /coding/),
  file('a video without sound', 'a.mp4', () => makeMov({ handler: 'vide', frames: 480 }), 'RECORDING_EMPTY', /no audio/),
  file('boxes in boxes in boxes', 'a.mp4', () => makeDeepBoxes(), 'RECORDING_DAMAGED'),
  file('a FLAC of 0 Hz', 'a.flac', () => makeSilentFlac({ seconds: 2, statedSampleRate: 0 }), 'RECORDING_DAMAGED'),
  file(
    'a FLAC that says it is years long',
    'a.flac',
    () => makeStreamInfo({ samples: 2 ** 36 - 1 }),
    'RECORDING_TOO_LONG',
    /hours/,
  ),
  file(
    'a FLAC of silence that says its length',
    'a.flac',
    () => makeSilentFlac({ seconds: 250, channels: 8 }),
    'RECORDING_TOO_LONG',
    /This one is 4 minutes/,
  ),
  file(
    'a FLAC of silence that hides its length',
    'a.flac',
    () => makeSilentFlac({ seconds: 250, channels: 8, statedSamples: 0 }),
    'RECORDING_TOO_LONG',
    /This one is longer/,
  ),
  file('an MP3 that says it is years long', 'a.mp3', () => concat(...Array(20).fill(xing(2 ** 32 - 1))), 'RECORDING_TOO_LONG'),
  file('an Ogg of nothing that is known', 'a.ogg', () => makeOggPage([noise(200)], { flags: 2 }), 'RECORDING_DAMAGED'),
  file('an Opus of no channels', 'a.opus', () => makeOggPage([makeOpusHead(0)], { flags: 2 }), 'RECORDING_DAMAGED'),
  file('an AAC of random bytes', 'a.aac', () => makeAdts(50), 'RECORDING_DAMAGED'),
  file(
    'a Matroska that never ends',
    'a.mkv',
    () => concat('\x1a\x45\xdf\xa3\x01\xff\xff\xff\xff\xff\xff\xfe', noise(5000)),
    'RECORDING_DAMAGED',
  ),
];

/** All kinds together. */
export const badRecordings: readonly BadRecording[] = [...otherThings, ...cutOff, ...lies];

function makeEndlessW64(): Uint8Array {
  const guid = (name: string, rest: string) => concat(name, rest);
  return concat(
    guid('riff', '\x2e\x91\xcf\x11\xa5\xd6\x28\xdb\x04\xc1\0\0'),
    le64(1000),
    guid('wave', '\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a'),
    ...Array(40).fill(concat(guid('junk', '\xf3\xac\xd3\x11\x8c\xd1\0\xc0\x4f\x8e\xdb\x8a'), le64(0))),
  );
}

function makeDeepBoxes(): Uint8Array {
  let inner: Uint8Array = zeros(0);
  for (let depth = 0; depth < 2000; depth++) inner = box(depth % 2 === 0 ? 'trak' : 'moov', inner);
  return concat(box('ftyp', 'isom', be32(0), 'isom'), inner);
}

function makeAdts(frames: number): Uint8Array {
  const length = 200;
  const header = [0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 255, ((length & 7) << 5) | 0x1f, 0xfc];
  return concat(...Array.from({ length: frames }, (_, index) => concat(header, noise(length - 7, index + 1))));
}
