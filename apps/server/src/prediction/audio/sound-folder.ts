import { randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../system-error.ts';

/**
 * `original`: the recording as it was sent, until its copies are made · `recording`, `moments`: what is listened to · with `.spectrum`: what it
 * looks like.
 */
export type SoundPart = 'original' | SoundKind | `${SoundKind}.spectrum`;
export type SoundKind = 'recording' | 'moments';

/** Files of kept sounds, each sound in a folder of its own. A part is there whole or not at all. */
export interface SoundFolder {
  pathOf(id: string, part: SoundPart): string;
  has(id: string, part: SoundPart): Promise<boolean>;
  /** Takes over a file of the same disk. @returns false when there is none */
  takeOver(id: string, part: SoundPart, path: string): Promise<boolean>;
  /** Writes a part aside, then gives it its name; after a failure nothing is left. */
  write(id: string, part: SoundPart, write: (path: string) => Promise<void>): Promise<void>;
  remove(id: string, parts: readonly SoundPart[]): Promise<void>;
  /** Removes whatever else there is of a sound, half-written parts of a killed process among it. */
  removeAllBut(id: string, parts: readonly SoundPart[]): Promise<void>;
  removeAll(id: string): Promise<void>;
  ids(): Promise<readonly string[]>;
}

const ASIDE = '.part';

export async function openSoundFolder(folder: string): Promise<SoundFolder> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const pathOf = (id: string, part: string): string => join(folder, id, part);
  const create = (id: string) => mkdir(join(folder, id), { recursive: true, mode: 0o700 });
  return {
    pathOf,
    has: (id, part) =>
      access(pathOf(id, part)).then(
        () => true,
        () => false,
      ),
    async takeOver(id, part, path) {
      await create(id);
      try {
        await rename(path, pathOf(id, part));
        return true;
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return false;
        throw error;
      }
    },
    async write(id, part, write) {
      // A name of its own: another process may be at the same work.
      const aside = pathOf(id, `${part}-${randomUUID()}${ASIDE}`);
      try {
        await write(aside);
        await rename(aside, pathOf(id, part));
      } finally {
        await rm(aside, { force: true });
      }
    },
    async remove(id, parts) {
      for (const part of parts) await rm(pathOf(id, part), { force: true });
    },
    async removeAllBut(id, parts) {
      const kept: readonly string[] = parts;
      for (const name of await readdir(join(folder, id))) if (!kept.includes(name)) await rm(pathOf(id, name), { force: true });
    },
    removeAll: (id) => rm(join(folder, id), { recursive: true, force: true }),
    ids: () => readdir(folder),
  };
}
