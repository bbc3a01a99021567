import { concat, le16, le32, le64, noise, zeros } from './bytes.ts';

const PACKET_BYTES = 4000;
const PAYLOAD_BYTES = 3968;
const BYTES_A_MILLISECOND = 96;

const guid = (text: string): Uint8Array => Buffer.from(text, 'hex');
const FILE_ID = guid('000102030405060708090a0b0c0d0e0f');

/**
 * An ASF file (the container of WMA) with noise in uncompressed 16-bit samples at 48 kHz. Source: Microsoft's ASF specification, 01.20.05.
 */
export function makeAsf(seconds = 2): Uint8Array {
  const packets = Math.ceil((seconds * 1000 * BYTES_A_MILLISECOND) / PAYLOAD_BYTES);
  const milliseconds = Math.floor((packets * PAYLOAD_BYTES) / BYTES_A_MILLISECOND);
  const dataBytes = 50 + packets * PACKET_BYTES;
  const format = concat(le16(1), le16(1), le32(48_000), le32(96_000), le16(2), le16(16), le16(0));
  const stream = object(
    '9107dcb7b7a9cf118ee600c00c205365',
    guid('409e69f84d5bcf11a8fd00805f5c442b'),
    guid('0057fb20555bcf11a8fd00805f5c442b'),
    ...[le64(0), le32(format.length), le32(0), le16(1), le32(0), format],
  );
  const extension = object('b503bf5f2ea9cf118ee300c00c205365', guid('11d2d3abbaa9cf118ee600c00c205365'), le16(6), le32(0));
  const fileBytes = 30 + 104 + stream.length + extension.length + dataBytes;
  const properties = object(
    'a1dcab8c47a9cf118ee400c00c205365',
    ...[FILE_ID, le64(fileBytes), le64(0), le64(packets), le64(milliseconds * 10_000), le64(milliseconds * 10_000), le64(0)],
    ...[le32(2), le32(PACKET_BYTES), le32(PACKET_BYTES), le32(768_000)],
  );
  const objects = concat(properties, stream, extension);
  const header = concat(guid('3026b2758e66cf11a6d900aa0062ce6c'), le64(30 + objects.length), le32(3), [1, 2], objects);
  const data = concat(guid('3626b2758e66cf11a6d900aa0062ce6c'), le64(dataBytes), FILE_ID, le64(packets), le16(0x101));
  return concat(header, data, ...Array.from({ length: packets }, (_, index) => makePacket(index)));
}

function object(id: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = concat(...parts);
  return concat(guid(id), le64(24 + body.length), body);
}

function makePacket(index: number): Uint8Array {
  const time = Math.floor((index * PAYLOAD_BYTES) / BYTES_A_MILLISECOND);
  // No error correction except its flag, a padding length of 16 bits, one payload, the usual widths of its fields.
  const head = concat([0x82, 0, 0, 0x10, 0x5d]);
  const payload = concat([0x81, index & 255], le32(0), [8], le32(PAYLOAD_BYTES), le32(time), noise(PAYLOAD_BYTES, index + 1));
  const padding = PACKET_BYTES - head.length - 2 - 4 - 2 - payload.length;
  return concat(head, le16(padding), le32(time), le16(41), payload, zeros(padding));
}
