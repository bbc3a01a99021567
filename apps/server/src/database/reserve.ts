import { randomFillSync } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { isDiskFull } from '../system-error.ts';

/**
 * Room that is kept occupied, so that there is some when the disk is full: to delete takes room first, for the write-ahead log.
 */
export interface Reserve {
  /** Gives the room back to the disk. */
  release(): void;
  /** Occupies what of it is missing, as far as there is room. Costs nothing when nothing is missing. */
  fill(): void;
}

const CHUNK_BYTES = 1024 * 1024;

/** @param bytes 0 for none */
export function openReserve(path: string, bytes: number): Reserve {
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
    release() {
      rmSync(path, { force: true });
      isWhole = bytes === 0;
    },
    fill,
  };
}
