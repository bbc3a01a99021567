import { be16, be32, concat, le16, le32, noise, zeros } from './bytes.ts';
import { makeAiff } from './make-aiff.ts';
import { makeSilentFlac, makeStreamInfo } from './make-flac.ts';
import { box, makeMov } from './make-mov.ts';
import { makeOggPage, makeOpusHead, makeSilentOpus } from './make-ogg.ts';
import { makeWav } from './make-wav.ts';
import { element, makeWebm } from './make-webm.ts';
import { makeZip } from './make-zip.ts';
import type { OddRecording, Outcome } from './odd-recording.ts';

const odd = (what: string, fileName: string, bytes: () => Uint8Array, ...codes: readonly Outcome[]): OddRecording => ({
  ...{ what, fileName, bytes, codes },
});
const text = (characters: string) => () => concat(characters);

const silentFrame = concat([0xff, 0xfb, 0x90, 0x64], zeros(413));
const silentFrames = (count: number): Uint8Array => concat(...Array<Uint8Array>(count).fill(silentFrame));
/** The frame of the lowest bit rate, 8 kbit/s at 24 kHz: 24 bytes for 24 ms. */
const slowFrame = concat([0xff, 0xf3, 0x14, 0xc4], zeros(20));

/** Long silence in small files, for a limit of 200 s. */
const bombs: readonly OddRecording[] = [
  odd('an Opus of silence, 5 minutes in 50 kB', 'a.opus', () => makeSilentOpus({ seconds: 300 }), 'RECORDING_TOO_LONG'),
  odd('a WebM of silence, 5 minutes', 'a.webm', () => makeWebm({ seconds: 300 }), 'RECORDING_TOO_LONG'),
  odd(
    'a WebM of silence that says it is short',
    'a.webm',
    () => makeWebm({ seconds: 300, statedSeconds: 3 }),
    'RECORDING_TOO_LONG',
  ),
  odd(
    'a FLAC of silence, an hour in 32 kB',
    'a.flac',
    () => makeSilentFlac({ seconds: 3600, statedSamples: 0 }),
    'RECORDING_TOO_LONG',
  ),
  odd(
    'a FLAC of silence, an hour that says it has a second',
    'a.flac',
    () => makeSilentFlac({ seconds: 3600, statedSamples: 48_000 }),
    'RECORDING_TOO_LONG',
  ),
  odd(
    'an MP3 of silence at the lowest rate',
    'a.mp3',
    () => concat(...Array<Uint8Array>(12_500).fill(slowFrame)),
    'RECORDING_TOO_LONG',
  ),
  odd(
    'a WAV of 1000 Hz, 5 minutes',
    'a.wav',
    () => makeWav({ seconds: 300, sampleRate: 1000, sample: () => 0 }),
    'RECORDING_TOO_LONG',
  ),
  odd(
    'a MOV of one sample repeated for ever',
    'a.mov',
    () => makeMov({ stated: { samples: 2 ** 32 - 1, sampleBytes: 0 } }),
    'RECORDING_DAMAGED',
    'RECORDING_TOO_LONG',
    'RECORDING_EMPTY',
    'answered',
  ),
];

/** Files that would lead a player to other files. */
const playlists: readonly OddRecording[] = [
  odd(
    'a master playlist',
    'a.m4a',
    text('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://127.0.0.1/a\n'),
    'RECORDING_UNSUPPORTED',
  ),
  odd('a playlist behind a byte order mark', 'a.mp3', text('\xef\xbb\xbf#EXTM3U\nfile:///etc/passwd\n'), 'RECORDING_UNSUPPORTED'),
  odd('a playlist without its head', 'a.mp3', text('file:///etc/passwd\nhttp://127.0.0.1/a.mp3\n'), 'RECORDING_UNSUPPORTED'),
  odd(
    'a playlist with a key',
    'a.ts',
    text('#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="file:///etc/passwd"\n'),
    'RECORDING_UNSUPPORTED',
  ),
  odd(
    'a session description',
    'a.wav',
    text('v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nm=audio 5004 RTP/AVP 0\r\n'),
    'RECORDING_UNSUPPORTED',
  ),
  odd(
    'a list of files with windows line ends',
    'a.flac',
    text("ffconcat version 1.0\r\nfile '/dev/zero'\r\n"),
    'RECORDING_UNSUPPORTED',
  ),
  odd(
    'a manifest for streaming',
    'a.mp4',
    text('<?xml version="1.0"?><MPD><BaseURL>file:///etc/passwd</BaseURL></MPD>'),
    'RECORDING_UNSUPPORTED',
  ),
  odd(
    'a shared playlist',
    'a.ogg',
    text('<?xml version="1.0"?><playlist><location>file:///etc/passwd</location></playlist>'),
    'RECORDING_UNSUPPORTED',
  ),
  odd(
    'a Windows playlist',
    'a.wma',
    text('<asx version="3.0"><entry><ref href="file:///etc/passwd"/></entry></asx>'),
    'RECORDING_UNSUPPORTED',
  ),
  odd('a reference to a stream', 'a.wma', text('[Reference]\r\nRef1=http://127.0.0.1/a.asf\r\n'), 'RECORDING_UNSUPPORTED'),
  odd(
    'a movie that refers to another file',
    'a.mov',
    () =>
      concat(
        box('ftyp', 'qt  ', be32(0), 'qt  '),
        box('moov', box('rmra', box('rmda', box('rdrf', be32(0), 'url ', be32(18), 'file:///etc/passwd')))),
      ),
    'RECORDING_DAMAGED',
    'RECORDING_EMPTY',
  ),
  odd('metadata for ffmpeg', 'a.wav', text(';FFMETADATA1\ntitle=x\n'), 'RECORDING_UNSUPPORTED'),
];

/** Files of two types at once. Most count as the type that they begin with; none is ever run, unpacked or displayed. */
const polyglots: readonly OddRecording[] = [
  odd('a PDF document with an MP3 behind it', 'a.mp3', () => concat('%PDF-1.7\n', silentFrames(60)), 'RECORDING_UNSUPPORTED'),
  odd(
    'an MP3 with a PDF document in its tag',
    'a.pdf',
    () => concat('ID3\x04\0\0\0\0\0\x09', '%PDF-1.4\n', silentFrames(60)),
    'answered',
  ),
  odd(
    'a WAV with a ZIP archive behind it',
    'a.zip',
    () => concat(makeWav({ seconds: 1 }), makeZip({ 'a.txt': 'x' })),
    'answered',
  ),
  odd('a ZIP archive with a WAV in it', 'a.wav', () => concat(makeZip({ 'a.wav': 'RIFF' }), makeWav()), 'RECORDING_UNSUPPORTED'),
  odd(
    'an HTML page with an MP3 behind it',
    'a.mp3',
    () => concat('<html><script>alert(1)</script>', silentFrames(60)),
    'answered',
  ),
  odd(
    'a WAV with an HTML page in its data',
    'a.html',
    () =>
      concat(
        'RIFF',
        le32(48_036),
        'WAVEfmt ',
        le32(16),
        le16(1),
        le16(1),
        le32(48_000),
        le32(96_000),
        le16(2),
        le16(16),
        'data',
        le32(96_000),
        '<html><script>alert(1)</script>',
        noise(95_969),
      ),
    'answered',
  ),
  odd('a GIF with an MP3 behind it', 'a.mp3', () => concat('GIF89a', silentFrames(60)), 'RECORDING_UNSUPPORTED'),
  odd(
    'a JPEG picture with a WAV behind it',
    'a.wav',
    () => concat('\xff\xd8\xff\xe0\0\x10JFIF\0', makeWav()),
    'RECORDING_UNSUPPORTED',
  ),
  odd('a program of a shell with an MP3 behind it', 'a.mp3', () => concat('#!/bin/sh\nrm -rf /\n', silentFrames(60)), 'answered'),
  odd(
    'a FLAC with a program behind it',
    'a.exe',
    () => concat(makeSilentFlac({ seconds: 2 }), 'MZ\x90\0', noise(500)),
    'answered',
  ),
  odd(
    'an Ogg with a playlist behind it',
    'a.m3u',
    () => concat(makeSilentOpus({ seconds: 2 }), '#EXTM3U\nfile:///etc/passwd\n'),
    'answered',
  ),
  odd('a WAV that begins like an AVI', 'a.wav', () => concat('RIFF', le32(4), 'AVI ', makeWav()), 'RECORDING_UNSUPPORTED'),
];

const crowds: readonly OddRecording[] = [
  odd('a WAV of 33 channels', 'a.wav', () => makeWav({ channels: 33 }), 'RECORDING_TOO_DEMANDING'),
  odd(
    'a WAV of 1,024 channels',
    'a.wav',
    () => makeWav({ seconds: 0.6, sampleRate: 8000, channels: 1024, sample: () => 0 }),
    'RECORDING_TOO_DEMANDING',
    'RECORDING_DAMAGED',
  ),
  odd(
    'an AIFF of 32,767 channels',
    'a.aiff',
    () => makeAiff({ channels: 32_767 }),
    'RECORDING_DAMAGED',
    'RECORDING_TOO_DEMANDING',
    'RECORDING_EMPTY',
  ),
  odd('an AIFF of no channels', 'a.aiff', () => makeAiff({ channels: 0 }), 'RECORDING_DAMAGED', 'RECORDING_EMPTY'),
  odd(
    'a MOV of 65,535 channels',
    'a.mov',
    () => makeMov({ channels: 65_535 }),
    'RECORDING_DAMAGED',
    'RECORDING_TOO_DEMANDING',
    'RECORDING_EMPTY',
  ),
  odd('a MOV of 64 channels', 'a.mov', () => makeMov({ channels: 64 }), 'RECORDING_TOO_DEMANDING'),
  odd(
    'an Opus of 255 channels',
    'a.opus',
    () => makeSilentOpus({ seconds: 2, head: makeOpusHead(255) }),
    'RECORDING_DAMAGED',
    'RECORDING_TOO_DEMANDING',
  ),
  odd('a WebM of 255 channels', 'a.webm', () => makeWebm({ channels: 255 }), 'RECORDING_DAMAGED', 'RECORDING_TOO_DEMANDING'),
  odd(
    'a CAF of 100,000 channels',
    'a.caf',
    () =>
      concat(
        'caff\0\x01\0\0',
        'desc',
        be32(0),
        be32(32),
        '\x40\xe7\x70\0\0\0\0\0',
        'lpcm',
        be32(0),
        be32(200_000),
        be32(1),
        be32(100_000),
        be32(16),
        'data',
        be32(0),
        be32(200_004),
        be32(0),
        zeros(200_000),
      ),
    'RECORDING_TOO_DEMANDING',
    'RECORDING_DAMAGED',
  ),
];

const lies: readonly OddRecording[] = [
  odd('a WAV that says it has no bytes', 'a.wav', () => makeWav({ stated: { riffBytes: 0, dataBytes: 0 } }), 'answered'),
  odd(
    'a WAV that says it has 4 GB',
    'a.wav',
    () => makeWav({ stated: { riffBytes: 2 ** 32 - 1, dataBytes: 2 ** 32 - 1 } }),
    'answered',
  ),
  odd('a WAV whose samples take no bytes', 'a.wav', () => makeWav({ stated: { blockAlign: 0 } }), 'answered'),
  odd('a WAV of 65,535 bits', 'a.wav', () => makeWav({ stated: { bits: 65_535 } }), 'RECORDING_UNSUPPORTED'),
  odd(
    'an AIFF of 0 bits',
    'a.aiff',
    () => makeAiff({ bits: 0 }),
    'RECORDING_DAMAGED',
    'RECORDING_UNSUPPORTED',
    'RECORDING_EMPTY',
    'answered',
  ),
  odd('an AIFF with more frames than bytes', 'a.aiff', () => makeAiff({ statedFrames: 2 ** 32 - 1 }), 'RECORDING_DAMAGED'),
  odd(
    'an Ogg whose last page ends in the year 3000',
    'a.opus',
    () => makeSilentOpus({ seconds: 2, lastGranule: 2 ** 50 }),
    'answered',
  ),
  odd(
    'an Ogg page of 255 segments that are not there',
    'a.ogg',
    () => concat('OggS\0\x02', zeros(8), le32(1), le32(0), le32(0), [255], Array(255).fill(255)),
    'RECORDING_DAMAGED',
  ),
  odd(
    'an Ogg with the same page a thousand times',
    'a.ogg',
    () => concat(...Array(1000).fill(makeOggPage([makeOpusHead()], { flags: 2 }))),
    'RECORDING_DAMAGED',
    'RECORDING_EMPTY',
  ),
  odd('a WebM in a coding nobody knows', 'a.webm', () => makeWebm({ codec: 'A_NOTHING' }), 'RECORDING_UNSUPPORTED'),
  odd(
    'a WebM of elements in elements',
    'a.webm',
    () => concat(element('1a45dfa3', element('4282', 'webm')), nest(1000)),
    'RECORDING_DAMAGED',
    'RECORDING_EMPTY',
  ),
  odd(
    'a MOV whose box has no bytes',
    'a.mov',
    () => concat(box('ftyp', 'qt  ', be32(0)), be32(1), 'moov', zeros(8)),
    'RECORDING_DAMAGED',
  ),
  odd(
    'a MOV with a box of 2⁶³ bytes',
    'a.mov',
    () => concat(box('ftyp', 'qt  ', be32(0)), be32(1), 'moov', [0x7f], Array(7).fill(255)),
    'RECORDING_DAMAGED',
    'RECORDING_EMPTY',
  ),
  odd(
    'an ID3 tag of 256 MB',
    'a.mp3',
    () => concat('ID3\x04\0\0\x7f\x7f\x7f\x7f', silentFrames(60)),
    'RECORDING_DAMAGED',
    'answered',
  ),
  odd(
    'tags in front of tags',
    'a.mp3',
    () => concat(...Array(500).fill(concat('ID3\x04\0\0\0\0\0\0')), silentFrames(60)),
    'answered',
  ),
  odd(
    'a FLAC whose comment block has 16 MB',
    'a.flac',
    () =>
      concat(makeStreamInfo({}).subarray(0, 4), [0, 0, 0, 34], makeStreamInfo({}).subarray(8), [0x84, 255, 255, 255], zeros(100)),
    'RECORDING_DAMAGED',
    'RECORDING_EMPTY',
  ),
  odd(
    'a FLAC of blocks of no samples',
    'a.flac',
    () => concat('fLaC', [0x80, 0, 0, 34], be16(0), be16(0), zeros(30), noise(500)),
    'RECORDING_DAMAGED',
  ),
  odd(
    'an ASF whose header has no end',
    'a.wma',
    () => concat('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c', Array(8).fill(255), noise(500)),
    'RECORDING_DAMAGED',
  ),
];

function nest(depth: number): Uint8Array {
  let inner: Uint8Array = zeros(0);
  for (let n = 0; n < depth; n += 1) inner = element('18538067', inner);
  return inner;
}

/** They get their codes under a maximum length of `BAD_RECORDINGS_MAX_SECONDS`. */
export const hostileRecordings: readonly OddRecording[] = [...bombs, ...playlists, ...polyglots, ...crowds, ...lies];
