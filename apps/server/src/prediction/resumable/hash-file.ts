import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Bytes between which the event loop turns; they are hashed in a millisecond or two. */
const PIECE_BYTES = 1_048_576;

/**
 * SHA-256 of a file that may have gigabytes.
 *
 * @returns hexadecimal digits
 * @throws what reading the file throws. @throws the signal's reason when it aborts
 */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}
