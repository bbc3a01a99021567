import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange, LocalFile, ObjectStorage } from '../../storage/object-storage.ts';

/**
 * `original`: the recording as it was sent, until its copies are made · `recording`, `moments`: for playback · `.spectrum`: for
 * spectrograms
 */
export type SoundPart = 'original' | SoundKind | `${SoundKind}.spectrum`;
export type SoundKind = 'recording' | 'moments';

const PARTS: readonly SoundPart[] = ['original', 'recording', 'moments', 'recording.spectrum', 'moments.spectrum'];

/** Files of kept audio, in a folder per recording. A part exists completely or not at all. */
export interface SoundFolder {
  /** The path on this machine; null for a bucket. */
  localPathOf(id: string, part: SoundPart): string | null;
  /** null when there is none */
  bytesOf(id: string, part: SoundPart): Promise<number | null>;
  has(id: string, part: SoundPart): Promise<boolean>;
  /** Opens a part as a file, for programs that need one. @returns null when there is none */
  open(id: string, part: SoundPart, signal: AbortSignal): Promise<LocalFile | null>;
  /** @returns null when there is none */
  read(id: string, part: SoundPart, range: ByteRange, signal: AbortSignal): Promise<Readable | null>;
  /** Moves an object to this part. @returns false when there is none */
  takeOver(id: string, part: SoundPart, object: string): Promise<boolean>;
  /** Writes a part to a draft, then puts it in place. A failure leaves nothing. */
  write(id: string, part: SoundPart, write: (path: string) => Promise<void>): Promise<void>;
  rename(id: string, from: SoundPart, to: SoundPart): Promise<void>;
  remove(id: string, parts: readonly SoundPart[]): Promise<void>;
  /** Removes everything else in the folder, including drafts of a killed process. */
  removeAllBut(id: string, parts: readonly SoundPart[]): Promise<void>;
  removeAll(id: string): Promise<void>;
  ids(): Promise<readonly string[]>;
}

export async function openSoundFolder(storage: ObjectStorage): Promise<SoundFolder> {
  const folder = storage.localPathOf('audio');
  if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
  const nameOf = (id: string, part: string): string => `audio/${id}/${part}`;
  const bytesOf = (id: string, part: SoundPart) => storage.bytesOf(nameOf(id, part));
  const remove = (id: string, parts: readonly string[]) => storage.remove(parts.map((part) => nameOf(id, part)));

  return {
    localPathOf: (id, part) => storage.localPathOf(nameOf(id, part)),
    bytesOf,
    has: async (id, part) => (await bytesOf(id, part)) !== null,
    open: (id, part, signal) => storage.open(nameOf(id, part), signal),
    read: (id, part, range, signal) => storage.read(nameOf(id, part), range, signal),
    takeOver: (id, part, object) => storage.move(object, nameOf(id, part)),
    async write(id, part, write) {
      const aside = await storage.draftPathFor(nameOf(id, part));
      try {
        await write(aside);
        await storage.put(nameOf(id, part), aside);
      } finally {
        await rm(aside, { force: true });
      }
    },
    async rename(id, from, to) {
      if (!(await storage.move(nameOf(id, from), nameOf(id, to)))) throw new Error('A part of a sound is gone.');
    },
    remove,
    async removeAllBut(id, parts) {
      const kept: readonly string[] = parts;
      // A folder on disk may contain more than parts.
      const found = folder === null ? PARTS : await readdir(join(folder, id));
      await remove(
        id,
        found.filter((name) => !kept.includes(name)),
      );
    },
    async removeAll(id) {
      if (folder === null) await remove(id, PARTS);
      else await rm(join(folder, id), { recursive: true, force: true });
    },
    async ids() {
      if (folder !== null) return readdir(folder);
      const ids = new Set<string>();
      for await (const { name } of storage.list('audio/')) ids.add(name.split('/')[1] ?? '');
      return [...ids];
    },
  };
}
