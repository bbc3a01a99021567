import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { gatherBytes } from '@chiffchaff/recognizer';
import { ModelError } from '../errors.ts';

/** Writes a file piece by piece and forces it to disk. Returns its sha256. */
export const writeDurably = async (file: string, pieces: readonly Uint8Array[], signal?: AbortSignal): Promise<string> =>
  explained(file, async () => {
    const hash = createHash('sha256');
    const handle = await open(file, 'w');
    try {
      // Weights are few and large, names and numbers many and small: those are gathered, one call each would take seconds.
      for (const block of gatherBytes(pieces, BLOCK_BYTES)) {
        signal?.throwIfAborted();
        hash.update(block);
        await handle.writeFile(block);
      }
      signal?.throwIfAborted();
      await handle.sync();
    } finally {
      await handle.close();
    }
    return hash.digest('hex');
  });

/** Forces a folder's list of names to disk. Windows has no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle: FileHandle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const BLOCK_BYTES = 1 << 20;

/** Runs a step that writes to disk; what the system says about it becomes a sentence. */
export async function explained<Result>(where: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    throw writingError(where, error) ?? error;
  }
}

function writingError(where: string, error: unknown): ModelError | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new ModelError(
        'DISK_FULL',
        `Writing the model: the disk of ${where} is full. Free about 300 MB, or set DATA_DIR to another disk, and try again.`,
        { path: where },
        { cause: error },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return new ModelError(
        'FOLDER_NOT_WRITABLE',
        `Writing the model: ${where} cannot be written (${code}). Give this user the right to write there, or set DATA_DIR to another folder.`,
        { path: where, reason: code },
        { cause: error },
      );
    default:
      return null;
  }
}
