import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { isDiskFull } from '@chiffchaff/acquire';

const CHUNK_BYTES = 1024 * 1024;

export type Reserve = ReturnType<typeof openReserve>;

/** Keeps space occupied for a full disk: deleting needs some first, for the write-ahead log. @param bytes 0 for none */
export function openReserve(path: string, bytes: number) {
  let isWhole = bytes === 0;

  function fill(): void {
    if (isWhole) return;
    // Random bytes, because some file systems do not store zeros.
    const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    const file = openSync(path, 'a', 0o600);
    try {
      for (let missing = bytes - fstatSync(file).size; missing > 0; ) {
        missing -= writeSync(file, chunk, 0, Math.min(missing, CHUNK_BYTES));
      }
      isWhole = true;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    } finally {
      closeSync(file);
    }
  }

  fill();
  return {
    /** Frees the space. */
    release(): void {
      rmSync(path, { force: true });
      isWhole = bytes === 0;
    },
    /** Occupies missing space, as far as the disk allows. Costs nothing if none is missing. */
    fill,
  };
}
