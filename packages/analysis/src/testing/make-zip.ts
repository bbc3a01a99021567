import { crc32 } from 'node:zlib';
import { concat, le16, le32, zeros } from './bytes.ts';

/** A ZIP archive of uncompressed files. */
export function makeZip(files: Readonly<Record<string, string>>): Uint8Array {
  const bodies: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const sizes = concat(le32(crc32(text)), le32(text.length), le32(text.length), le16(name.length), le16(0));
    const body = concat('PK\x03\x04', le16(20), zeros(8), sizes, name, text);
    bodies.push(body);
    directory.push(concat('PK\x01\x02', le16(20), le16(20), zeros(8), sizes, zeros(10), le32(offset), name));
    offset += body.length;
  }
  const entries = concat(...directory);
  const end = concat(
    'PK\x05\x06',
    zeros(4),
    le16(directory.length),
    le16(directory.length),
    le32(entries.length),
    le32(offset),
    le16(0),
  );
  return concat(...bodies, entries, end);
}
