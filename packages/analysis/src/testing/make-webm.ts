import { be16, be32, concat } from './bytes.ts';
import { makeOpusHead, SILENT_OPUS_PACKET } from './make-ogg.ts';

export interface WebmShape {
  readonly seconds?: number;
  readonly codec?: string;
  readonly channels?: number;
  readonly statedSeconds?: number;
}

const CLUSTER_SECONDS = 5;

/** A WebM of Opus silence. Source: RFC 8794, RFC 9559. */
export function makeWebm({ seconds = 3, codec = 'A_OPUS', channels = 1, statedSeconds = seconds }: WebmShape = {}): Uint8Array {
  const header = element('1a45dfa3', element('4282', 'webm'), element('4287', [4]), element('4285', [2]));
  const information = element('1549a966', element('2ad7b1', be32(1_000_000)), element('4489', float64(statedSeconds * 1000)));
  const audio = element('e1', element('b5', float64(48_000)), element('9f', [channels]));
  const entry = element(
    'ae',
    element('d7', [1]),
    element('73c5', [1]),
    element('83', [2]),
    element('86', codec),
    element('63a2', makeOpusHead(channels)),
    audio,
  );
  const clusters: Uint8Array[] = [];
  for (let from = 0; from < seconds; from += CLUSTER_SECONDS) {
    const blocks = Math.round((Math.min(seconds, from + CLUSTER_SECONDS) - from) * 50);
    const each = Array.from({ length: blocks }, (_, n) => element('a3', [0x81], be16(n * 20), [0x80], SILENT_OPUS_PACKET));
    clusters.push(element('1f43b675', element('e7', be32(from * 1000)), ...each));
  }
  return concat(header, element('18538067', information, element('1654ae6b', entry), ...clusters));
}

/** @param id in hexadecimal digits */
export function element(id: string, ...parts: readonly (Uint8Array | string | readonly number[])[]): Uint8Array {
  const body = concat(...parts);
  // An eight-byte length, which is always valid.
  return concat(Buffer.from(id, 'hex'), [0x01, 0, 0, 0], be32(body.length), body);
}

function float64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
