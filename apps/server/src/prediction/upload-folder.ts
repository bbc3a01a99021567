import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where recordings lie while they are listened to: a folder of this process below the one that all processes of a data folder share. */
export interface UploadFolder {
  /** A path that nothing has used before; nothing of a user's file name is in it. */
  newPath(): string;
  /** Removes what this process still has there. */
  close(): Promise<void>;
}

/** Whether a process of that id lives. One that belongs to somebody else cannot be signalled, but it does live. */
function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Opens the folder, and removes what processes that were killed have left in it. A folder with this process's own id is such a
 * remainder too: in a container every start has the same id.
 */
export async function openUploadFolder(folder: string): Promise<UploadFolder> {
  await mkdir(folder, { recursive: true });
  const own = join(folder, String(process.pid));
  for (const name of await readdir(folder)) {
    const stale = !/^\d+$/.test(name) || Number(name) === process.pid || !isAlive(Number(name));
    if (stale) await rm(join(folder, name), { recursive: true, force: true });
  }
  await mkdir(own, { recursive: true, mode: 0o700 });
  return {
    newPath: () => join(own, randomUUID()),
    close: () => rm(own, { recursive: true, force: true }),
  };
}
