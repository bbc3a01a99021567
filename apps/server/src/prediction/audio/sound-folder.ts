import { type ByteRange, type ObjectStorage, writeObject } from '../../storage/object-storage.ts';

/**
 * `original`: the recording as it was sent, until its copies are made · `recording`, `moments`: for playback · `.spectrum`: for
 * spectrograms
 */
export type SoundPart = 'original' | SoundKind | `${SoundKind}.spectrum`;
export type SoundKind = 'recording' | 'moments';

const PARTS: readonly SoundPart[] = ['original', 'recording', 'moments', 'recording.spectrum', 'moments.spectrum'];

export type SoundFolder = ReturnType<typeof createSoundFolder>;

/** The parts of kept audio, each an object `audio/ID/PART`. A part exists completely or not at all. */
export function createSoundFolder(storage: ObjectStorage) {
  const nameOf = (id: string, part: SoundPart): string => `audio/${id}/${part}`;
  const bytesOf = (id: string, part: SoundPart) => storage.bytesOf(nameOf(id, part));
  const remove = (id: string, parts: readonly SoundPart[]) => storage.remove(parts.map((part) => nameOf(id, part)));

  return {
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
    removeAllBut: (id: string, parts: readonly SoundPart[]) =>
      remove(
        id,
        PARTS.filter((part) => !parts.includes(part)),
      ),
    removeAll: (id: string) => remove(id, PARTS),
  };
}
