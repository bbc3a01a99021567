import { concat, le16, le32, le64 } from './bytes.ts';

/** A 20 ms frame of silence, as Opus encoders write it. */
export const SILENT_OPUS_PACKET = Uint8Array.of(0xf8, 0xff, 0xfe);
const SAMPLES_A_PACKET = 960;
const PACKETS_A_PAGE = 50;

export function makeOpusHead(channels = 1): Uint8Array {
  const map =
    channels > 2
      ? concat(
          [255, channels, 0],
          Array.from({ length: channels }, (_, channel) => channel),
        )
      : [0];
  return concat('OpusHead\x01', [channels], le16(0), le32(48_000), le16(0), map);
}

/** An Ogg of Opus silence. Complete and true, except that the last page may lie about its time. Source: RFC 7845. */
export function makeSilentOpus({
  seconds,
  head = makeOpusHead(),
  lastGranule,
}: {
  readonly seconds: number;
  readonly head?: Uint8Array;
  readonly lastGranule?: number;
}): Uint8Array {
  const pages = [
    makeOggPage([head], { number: 0, flags: 2 }),
    makeOggPage([concat('OpusTags', le32(4), 'none', le32(0))], { number: 1 }),
  ];
  const count = Math.ceil((seconds * 48_000) / SAMPLES_A_PACKET);
  for (let done = 0; done < count; done += PACKETS_A_PAGE) {
    const packets = Array<Uint8Array>(Math.min(PACKETS_A_PAGE, count - done)).fill(SILENT_OPUS_PACKET);
    const isLast = done + PACKETS_A_PAGE >= count;
    const granule = (isLast ? lastGranule : undefined) ?? (done + packets.length) * SAMPLES_A_PACKET;
    pages.push(makeOggPage(packets, { number: pages.length, granule, flags: isLast ? 4 : 0 }));
  }
  return concat(...pages);
}

export function makeOggPage(
  packets: readonly Uint8Array[],
  { number = 0, granule = 0, flags = 0 }: { readonly number?: number; readonly granule?: number; readonly flags?: number },
): Uint8Array {
  const lengths = packets.flatMap(({ length }) => [...Array<number>(Math.floor(length / 255)).fill(255), length % 255]);
  const head = concat('OggS\0', [flags], le64(granule), le32(1), le32(number), le32(0));
  const page = concat(head, [lengths.length], lengths, ...packets);
  page.set(le32(oggCrc(page)), 22);
  return page;
}

function oggCrc(page: Uint8Array): number {
  let value = 0;
  for (const byte of page) {
    value = (value ^ (byte << 24)) >>> 0;
    for (let bit = 0; bit < 8; bit++) value = (value & 0x8000_0000 ? (value << 1) ^ 0x04c1_1db7 : value << 1) >>> 0;
  }
  return value;
}
