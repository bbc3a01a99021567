import { concat, zeros } from './bytes.ts';
import { makeAiff } from './make-aiff.ts';
import { makeAsf } from './make-asf.ts';
import { makeSilentFlac } from './make-flac.ts';
import { makeMov } from './make-mov.ts';
import { makeSilentOpus } from './make-ogg.ts';
import { makeWav } from './make-wav.ts';
import { makeWebm } from './make-webm.ts';
import type { OddRecording, Outcome } from './odd-recording.ts';

interface Boundary {
  readonly at: number;
  readonly name: string;
}

/** How to find the boundaries of a container's parts; `within` says which parts contain parts, and at which offset those begin. */
interface Layout {
  /** Reads the part that starts at an offset: its name, the length of its header, its total length. */
  readonly read: (
    bytes: Buffer,
    at: number,
  ) => { readonly name: string; readonly headBytes: number; readonly bytes: number } | null;
  readonly within: Readonly<Record<string, number>>;
}

function findBoundaries(bytes: Buffer, { read, within }: Layout, from = 0, to = bytes.length): Boundary[] {
  const found: Boundary[] = [];
  for (let at = from; at < to; ) {
    const part = read(bytes, at);
    if (part === null || part.bytes <= 0) break;
    found.push({ at, name: `before ${part.name}` }, { at: at + part.headBytes, name: `behind the head of ${part.name}` });
    const inner = within[part.name];
    if (inner !== undefined) found.push(...findBoundaries(bytes, { read, within }, at + inner, at + part.bytes));
    at += part.bytes;
  }
  return found;
}

const text = (bytes: Buffer, at: number, length: number): string => bytes.toString('latin1', at, at + length).trim();

const boxes: Layout = {
  read: (bytes, at) =>
    at + 8 > bytes.length ? null : { name: text(bytes, at + 4, 4), headBytes: 8, bytes: bytes.readUInt32BE(at) },
  within: { moov: 8, trak: 8, mdia: 8, minf: 8, dinf: 8, stbl: 8, stsd: 16 },
};
const riff: Layout = {
  read: (bytes, at) =>
    at + 8 > bytes.length ? null : { name: text(bytes, at, 4), headBytes: 8, bytes: 8 + bytes.readUInt32LE(at + 4) },
  within: { RIFF: 12 },
};
const iff: Layout = {
  read: (bytes, at) =>
    at + 8 > bytes.length ? null : { name: text(bytes, at, 4), headBytes: 8, bytes: 8 + bytes.readUInt32BE(at + 4) },
  within: { FORM: 12 },
};
const pages: Layout = {
  read(bytes, at) {
    if (at + 27 > bytes.length) return null;
    const segments = bytes.readUInt8(at + 26);
    const lengths = [...bytes.subarray(at + 27, at + 27 + segments)];
    const whole = 27 + segments + lengths.reduce((sum, length) => sum + length, 0);
    return { name: `page ${bytes.readUInt32LE(at + 18)}`, headBytes: 27 + segments, bytes: whole };
  },
  within: {},
};
const elementNames: Readonly<Record<string, string>> = {
  '1a45dfa3': 'EBML',
  '18538067': 'Segment',
  '1549a966': 'Info',
  '1654ae6b': 'Tracks',
  ae: 'TrackEntry',
  '1f43b675': 'Cluster',
};
const elements: Layout = {
  read(bytes, at) {
    const first = bytes.at(at) ?? 0;
    const idBytes = first >= 0x80 ? 1 : first >= 0x40 ? 2 : first >= 0x20 ? 3 : 4;
    if (at + idBytes + 8 > bytes.length) return null;
    const name = elementNames[bytes.toString('hex', at, at + idBytes)];
    // Small elements do not count as boundaries.
    if (name === undefined) return null;
    return { name, headBytes: idBytes + 8, bytes: idBytes + 8 + bytes.readUInt32BE(at + idBytes + 4) };
  },
  within: { Segment: 12, Tracks: 12 },
};
const objectNames: Readonly<Record<string, string>> = {
  '3026b275': 'header',
  a1dcab8c: 'file properties',
  '9107dcb7': 'stream properties',
  b503bf5f: 'header extension',
  '3626b275': 'data',
};
const objects: Layout = {
  read(bytes, at) {
    if (at + 24 > bytes.length) return null;
    const name = objectNames[bytes.toString('hex', at, at + 4)];
    return name === undefined ? null : { name, headBytes: 24, bytes: bytes.readUInt32LE(at + 16) };
  },
  within: { header: 30 },
};

/** The outcome for a recording with at most this many bytes left; with more, it is answered as far as it goes. */
type Steps = readonly (readonly [bytes: number, ...outcomes: Outcome[]])[];

function cut(
  what: string,
  fileName: string,
  whole: Uint8Array,
  layout: Layout | readonly Boundary[],
  steps: Steps,
): OddRecording[] {
  const boundaries = 'read' in layout ? findBoundaries(Buffer.from(whole), layout) : layout;
  const places = new Map(boundaries.map(({ at, name }) => [at, name]));
  const behindHead = { at: Math.floor(whole.length * 0.9), name: 'at nine tenths' };
  places.set(behindHead.at, behindHead.name);
  return [...places]
    .filter(([at]) => at > 0 && at < whole.length)
    .map(([at, name]) => {
      const [, ...codes] = steps.find(([bytes]) => at <= bytes) ?? [0, 'answered' as const];
      return { what: `${what} cut off ${name} (${at} bytes)`, fileName, bytes: () => whole.subarray(0, at), codes };
    });
}

const flacBoundaries = [
  { at: 4, name: 'behind its signature' },
  { at: 8, name: 'behind the head of its first block' },
  { at: 42, name: 'before its first frame' },
  { at: 47, name: 'in the head of its first frame' },
  { at: 55, name: 'before its second frame' },
  { at: 60, name: 'in the head of its second frame' },
];
const ID3_BYTES = 26;
const FRAME_BYTES = 417;
const frames = (count: number): number => ID3_BYTES + count * FRAME_BYTES;
const mp3Boundaries = [
  { at: 3, name: 'behind its signature' },
  { at: 10, name: 'behind the head of its tag' },
  { at: ID3_BYTES, name: 'before its first frame' },
  { at: ID3_BYTES + 4, name: 'behind the head of its first frame' },
  { at: frames(1), name: 'before its second frame' },
  { at: frames(2) + 4, name: 'behind the head of its third frame' },
  { at: frames(10), name: 'behind ten frames' },
  { at: frames(30), name: 'behind thirty frames' },
];
const makeMp3 = (): Uint8Array =>
  concat('ID3\x04\0\0\0\0\0\x10', zeros(16), ...Array<Uint8Array>(60).fill(concat([0xff, 0xfb, 0x90, 0x64], zeros(413))));

/** Recordings that end at a boundary of their container, one for each: the result of a broken copy. */
export function makeCutRecordings(): readonly OddRecording[] {
  return [
    ...cut('a WAV', 'a.wav', makeWav({ seconds: 1 }), riff, [
      [8, 'RECORDING_UNSUPPORTED'],
      [36, 'RECORDING_DAMAGED'],
      [44, 'RECORDING_EMPTY'],
    ]),
    ...cut('an AIFF', 'a.aiff', makeAiff(), iff, [
      [8, 'RECORDING_UNSUPPORTED'],
      [38, 'RECORDING_DAMAGED'],
      [46, 'RECORDING_EMPTY'],
    ]),
    ...cut('a MOV', 'a.mov', makeMov({ frames: 48_000 }), boxes, [
      [20, 'RECORDING_DAMAGED'],
      // What ffmpeg makes of half an index depends on what came before its end.
      [520, 'RECORDING_DAMAGED', 'RECORDING_EMPTY', 'RECORDING_UNSUPPORTED'],
      [529, 'RECORDING_DAMAGED'],
    ]),
    ...cut('an Ogg', 'a.opus', makeSilentOpus({ seconds: 3 }), pages, [[172, 'RECORDING_DAMAGED']]),
    ...cut('a WebM', 'a.webm', makeWebm({ seconds: 12 }), elements, [[249, 'RECORDING_DAMAGED']]),
    ...cut('an ASF', 'a.wma', makeAsf(), objects, [[300, 'RECORDING_DAMAGED']]),
    ...cut('a FLAC', 'a.flac', makeSilentFlac({ seconds: 4 }), flacBoundaries, [
      [8, 'RECORDING_DAMAGED'],
      [47, 'RECORDING_EMPTY'],
    ]),
    ...cut('an MP3', 'a.mp3', makeMp3(), mp3Boundaries, [
      [3, 'RECORDING_UNSUPPORTED'],
      [frames(1), 'RECORDING_DAMAGED'],
      [frames(10), 'RECORDING_TOO_SHORT'],
    ]),
  ];
}
