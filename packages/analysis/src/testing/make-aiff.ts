import { be16, be32, concat, noise } from './bytes.ts';

/** Ten bytes of an 80-bit float: 48,000 Hz. */
const RATE_48000 = '\x40\x0e\xbb\x80\0\0\0\0\0\0';

export interface AiffShape {
  /** ten bytes of an 80-bit float */
  readonly sampleRate?: string;
  readonly channels?: number;
  readonly bits?: number;
  readonly statedFrames?: number;
}

/** An AIFF with one second of noise, and a header that may lie. */
export function makeAiff({
  sampleRate = RATE_48000,
  channels = 1,
  bits = 16,
  statedFrames = 48_000,
}: AiffShape = {}): Uint8Array {
  const common = concat(be16(channels), be32(statedFrames), be16(bits), sampleRate);
  const sound = concat(be32(0), be32(0), noise(96_000));
  const chunks = concat('COMM', be32(common.length), common, 'SSND', be32(sound.length), sound);
  return concat('FORM', be32(4 + chunks.length), 'AIFF', chunks);
}
