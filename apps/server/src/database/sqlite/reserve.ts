import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { isDiskFull } from '../../system-error.ts';

const CHUNK_BYTES = 1024 * 1024;

export type Reserve = ReturnType<typeof openReserve>;

/** Space that is kept occupied for a full disk: deleting needs some first, for the write-ahead log. @param bytes 0 for none */
export function openReserve(path: string, bytes: number) {
  let isWhole = bytes === 0;

  function fill(): void {
    if (isWhole) return;
    // Not zeros: some file systems store these as nothing.
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
    /** Occupies what is missing, as far as the disk allows. Costs nothing when nothing is missing. */
    fill,
  };
}
