import { be16, be32, concat, zeros } from './bytes.ts';

export interface MovShape {
  /** Type of the sample entry: `sowt` is 16-bit PCM, `drms` is copy-protected AAC. */
  readonly coding?: string;
  readonly handler?: 'soun' | 'vide';
  readonly sampleRate?: number;
  readonly channels?: number;
  /** number of 16-bit frames in the file */
  readonly frames?: number;
  /** What the size table states. */
  readonly stated?: { readonly samples?: number; readonly sampleBytes?: number; readonly sizesInTable?: boolean };
  /** Offset of the samples; by default right after the movie box. */
  readonly chunkOffset?: number;
}

/** A QuickTime movie with one track of uncompressed samples, and headers that may lie. */
export function makeMov(shape: MovShape = {}): Uint8Array {
  const { frames = 96_000, chunkOffset, stated = {} } = shape;
  const samples = Buffer.alloc(frames * 2);
  for (let frame = 0; frame < frames; frame++) samples.writeInt16LE(Math.round(8000 * Math.sin(frame / 3)), frame * 2);
  const fileType = box('ftyp', 'qt  ', be32(0), 'qt  ');
  const lengthOfMovie = movie(shape, 0).length;
  const offset = chunkOffset ?? fileType.length + lengthOfMovie + 8;
  return concat(fileType, movie({ ...shape, frames, stated }, offset), box('mdat', samples));
}

export function box(type: string, ...parts: readonly (Uint8Array | string | readonly number[])[]): Uint8Array {
  const body = concat(...parts);
  return concat(be32(8 + body.length), type, body);
}

function movie(shape: MovShape, offset: number): Uint8Array {
  const { handler = 'soun', sampleRate = 48_000, frames = 96_000 } = shape;
  const movieHeader = box('mvhd', be32(0), be32(0), be32(0), be32(1000), be32(Math.round((frames / 48_000) * 1000)), zeros(80));
  const trackHeader = box('tkhd', be32(7), be32(0), be32(0), be32(1), be32(0), be32(2000), zeros(60));
  const mediaHeader = box('mdhd', be32(0), be32(0), be32(0), be32(Math.max(1, sampleRate)), be32(frames), be32(0));
  const handlerBox = box('hdlr', be32(0), 'mhlr', handler, zeros(12), [0]);
  const information = box(
    'minf',
    handler === 'soun' ? box('smhd', zeros(8)) : box('vmhd', be32(1), zeros(8)),
    box('dinf', box('dref', be32(0), be32(1), box('url ', be32(1)))),
    sampleTable(shape, offset),
  );
  return box('moov', movieHeader, box('trak', trackHeader, box('mdia', mediaHeader, handlerBox, information)));
}

function sampleTable(shape: MovShape, offset: number): Uint8Array {
  const { coding = 'sowt', handler = 'soun', sampleRate = 48_000, channels = 1, frames = 96_000, stated = {} } = shape;
  const entry =
    handler === 'soun'
      ? box(coding, zeros(6), be16(1), zeros(8), be16(channels), be16(16), be32(0), be16(sampleRate), be16(0))
      : box(
          'mp4v',
          zeros(6),
          be16(1),
          zeros(16),
          be16(64),
          be16(48),
          be32(0x480000),
          be32(0x480000),
          zeros(4),
          be16(1),
          zeros(36),
        );
  const count = stated.samples ?? frames;
  return box(
    'stbl',
    box('stsd', be32(0), be32(1), entry),
    box('stts', be32(0), be32(1), be32(count), be32(1)),
    box('stsc', be32(0), be32(1), be32(1), be32(count), be32(1)),
    box('stsz', be32(0), be32(stated.sizesInTable ? 0 : (stated.sampleBytes ?? 2 * channels)), be32(count)),
    box('stco', be32(0), be32(1), be32(offset)),
  );
}
