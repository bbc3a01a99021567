import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteRange, type ObjectStorage, writeObject } from '../../storage/object-storage.ts';

/**
 * `original`: the recording as it was sent, until its copies are made · `recording`, `moments`: for playback · `.spectrum`: for
 * spectrograms
 */
export type SoundPart = 'original' | SoundKind | `${SoundKind}.spectrum`;
export type SoundKind = 'recording' | 'moments';

const PARTS: readonly SoundPart[] = ['original', 'recording', 'moments', 'recording.spectrum', 'moments.spectrum'];

export type SoundFolder = Awaited<ReturnType<typeof openSoundFolder>>;

/** Files of kept audio, in a folder per recording. A part exists completely or not at all. */
export async function openSoundFolder(storage: ObjectStorage) {
  const folder = storage.localPathOf('audio');
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
  const nameOf = (id: string, part: string): string => `audio/${id}/${part}`;
  const bytesOf = (id: string, part: SoundPart) => storage.bytesOf(nameOf(id, part));
  const remove = (id: string, parts: readonly string[]) => storage.remove(parts.map((part) => nameOf(id, part)));

  return {
    /** The path on this machine; null for a bucket. */
    localPathOf: (id: string, part: SoundPart) => storage.localPathOf(nameOf(id, part)),
    /** null when there is none */
    bytesOf,
    has: async (id: string, part: SoundPart) => (await bytesOf(id, part)) !== null,
    /** Opens a part as a file, for programs that need one. @returns null when there is none */
    open: (id: string, part: SoundPart, signal: AbortSignal) => storage.open(nameOf(id, part), signal),
    /** @returns null when there is none */
    read: (id: string, part: SoundPart, range: ByteRange, signal: AbortSignal) => storage.read(nameOf(id, part), range, signal),
    /** Moves an object to this part. @returns false when there is none */
    takeOver: (id: string, part: SoundPart, object: string) => storage.move(object, nameOf(id, part)),
    write: (id: string, part: SoundPart, write: (path: string) => Promise<void>) => writeObject(storage, nameOf(id, part), write),
    async rename(id: string, from: SoundPart, to: SoundPart): Promise<void> {
      if (!(await storage.move(nameOf(id, from), nameOf(id, to)))) throw new Error('A part of a sound is gone.');
    },
    remove,
    /** Removes everything else in the folder, including drafts of a killed process. */
    async removeAllBut(id: string, parts: readonly string[]): Promise<void> {
      // A folder on disk may contain more than parts.
      const found = folder === null ? PARTS : await readdir(join(folder, id));
      await remove(
        id,
        found.filter((name) => !parts.includes(name)),
      );
    },
    async removeAll(id: string): Promise<void> {
      if (folder === null) await remove(id, PARTS);
      else await rm(join(folder, id), { recursive: true, force: true });
    },
    async ids(): Promise<readonly string[]> {
      if (folder !== null) return readdir(folder);
      const ids = new Set<string>();
      for await (const { name } of storage.list('audio/')) ids.add(name.split('/')[1] ?? '');
      return [...ids];
    },
  };
}
