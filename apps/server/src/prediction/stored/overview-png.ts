import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { OVERVIEW_BANDS } from '@chiffchaff/contract';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** A PNG file of these chunks; the last one, which is empty, is added. */
export function pngOf(chunks: Readonly<Record<string, Uint8Array>>): Buffer {
  const all = Object.entries({ ...chunks, IEND: new Uint8Array() });
  return Buffer.concat([SIGNATURE, ...all.map(([type, data]) => chunk(type, data))]);
}

/** Turns an overview into a grey image that every program can open: the louder, the darker; time from left to right. */
export async function overviewPng(levels: Uint8Array): Promise<Buffer> {
  const width = levels.length / OVERVIEW_BANDS;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(OVERVIEW_BANDS, 4);
  header.writeUInt8(8, 8); // bits a point; the zeros after it mean grey, deflated
  // A row begins with the number of its filter: 0, none.
  const rows = Buffer.alloc(OVERVIEW_BANDS * (width + 1));
  for (const [index, level] of levels.entries()) {
    const row = OVERVIEW_BANDS - 1 - (index % OVERVIEW_BANDS);
    rows[row * (width + 1) + 1 + Math.floor(index / OVERVIEW_BANDS)] = 255 - level;
  }
  return pngOf({ IHDR: header, IDAT: await promisify(deflate)(rows) });
}
