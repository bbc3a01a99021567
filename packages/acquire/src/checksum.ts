import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AcquireError } from './acquire-error.ts';

/** What a published file must be before it is used. */
export interface Pin {
  readonly sha256: string;
  /** Absent where only the hash is published. */
  readonly bytes?: number;
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** SHA-256 of a file on disk, which is never held whole. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash, { signal });
  return hash.digest('hex');
}

/** @throws AcquireError `CHECKSUM_MISMATCH` unless the bytes are the published file */
export function verifyBytes(bytes: Uint8Array, pin: Pin, name: string): Uint8Array {
  verify(bytes.byteLength, sha256Of(bytes), pin, name);
  return bytes;
}

/** @throws AcquireError `CHECKSUM_MISMATCH` unless the file is the published one */
export async function verifyFile(file: string, pin: Pin, signal?: AbortSignal): Promise<void> {
  const [{ size }, sha256] = [await stat(file), await hashFile(file, signal)];
  verify(size, sha256, pin, file);
}

function verify(bytes: number, sha256: string, pin: Pin, name: string): void {
  if (sha256 === pin.sha256 && (pin.bytes === undefined || bytes === pin.bytes)) return;
  const expected = pin.bytes === undefined ? `sha256 ${pin.sha256}` : `${pin.bytes} bytes with sha256 ${pin.sha256}`;
  throw mismatch(name, `${bytes} bytes with sha256 ${sha256}`, expected);
}

export const mismatch = (name: string, found: string, expected: string): AcquireError =>
  new AcquireError('CHECKSUM_MISMATCH', `${name} is not the published file (found ${found}, expected ${expected})`);
