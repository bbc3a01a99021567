import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { AcquireError, codeOf, isDiskFull } from './acquire-error.ts';

/** Writes a file piece by piece and forces it to disk. Returns its sha256. */
export async function writeDurably(
  file: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<string> {
  return wrapWriteErrors(file, async () => {
    const hash = createHash('sha256');
    await using handle = await open(file, 'w');
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      hash.update(piece);
      await handle.writeFile(piece);
    }
    signal?.throwIfAborted();
    await handle.sync();
    return hash.digest('hex');
  });
}

/** Forces a folder's entries to disk, which Windows cannot do. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Runs a step that writes below `where`, and turns a full disk or a refused write into an AcquireError. */
export async function wrapWriteErrors<Result>(where: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (isDiskFull(error)) throw diskFull(where, error);
    const code = codeOf(error);
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(code)) throw error;
    throw new AcquireError('FOLDER_NOT_WRITABLE', `${where} is not writable (${code})`, { cause: error });
  }
}

export const diskFull = (where: string, cause?: unknown): AcquireError =>
  new AcquireError('DISK_FULL', `the disk with ${where} is full`, { cause });
