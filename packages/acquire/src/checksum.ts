import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { AcquireError } from './acquire-error.ts';

/** The expected hash and size of a published file. */
export interface Pin {
  readonly sha256: string;
  /** Absent if only the hash is published. */
  readonly bytes?: number;
}

/** In hexadecimal. */
export const sha256Of = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/**
 * SHA-256 of a file of any size, in hexadecimal.
 *
 * @throws the signal's reason when it aborts
 */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256');
  // Reuses one buffer: collecting hundreds of megabytes of garbage would take longer than hashing.
  const buffer = Buffer.allocUnsafe(262_144);
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
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
