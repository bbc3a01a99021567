import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ModelError } from '../errors.ts';

/** A published file: what it must be before it is used. */
export interface Pin {
  readonly bytes: number;
  readonly sha256: string;
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** SHA-256 of a file on disk, which is never held whole. */
export async function hashFile(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const source = createReadStream(file, { highWaterMark: 1 << 20 });
  await pipeline(source, hash, { ...(signal === undefined ? {} : { signal }) });
  return hash.digest('hex');
}

/** Throws `CHECKSUM_MISMATCH` unless the bytes are the published file. */
export function verify(bytes: Uint8Array, pin: Pin, name: string): Uint8Array {
  const sha256 = sha256Of(bytes);
  if (sha256 === pin.sha256) return bytes;
  throw mismatch(name, `${bytes.byteLength} bytes with sha256 ${sha256}`, `${pin.bytes} bytes with sha256 ${pin.sha256}`);
}

export const mismatch = (name: string, found: string, expected: string): ModelError =>
  new ModelError(
    'CHECKSUM_MISMATCH',
    `Checking the model's files: ${name} is not the published file (found ${found}, expected ${expected}). It is not used. Fetch it again, or let the set-up fetch it.`,
    { name, found, expected },
  );
