import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** How far listening to one recording has come, in a file that survives the process. */
export interface CheckpointFile {
  /** What an earlier attempt has noted, oldest first, one after the other: those of hours are long. To be read before anything is appended. */
  readFound(): AsyncGenerator<Uint8Array, void>;
  append(note: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Length and check sum before each note. */
const HEAD_BYTES = 8;

/**
 * Opens notes where there are some. A file begins with the first note: most recordings are too short for one. A note that was cut off
 * when the process ended, and all after it, are dropped, and so are notes that cannot be used.
 *
 * @param subject what the notes are about; those about anything else are worth nothing
 */
export async function openCheckpointFile(path: string, subject: string): Promise<CheckpointFile> {
  const about = Buffer.from(subject);
  let file = await openExisting(path);
  if (file) await keepWhatFits(file, about);
  return {
    async *readFound() {
      if (!file) return;
      let isSubject = true;
      for await (const note of readNotes(file)) {
        if (!isSubject) yield note;
        isSubject = false;
      }
    },
    async append(note) {
      if (!file) {
        file = await open(path, 'a+', 0o600);
        await append(file, about);
      }
      await append(file, note);
    },
    close: async () => file?.close(),
  };
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    // Not `a+`, which would begin one.
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Leaves the subject and the notes that are whole in a file. */
async function keepWhatFits(file: FileHandle, about: Buffer): Promise<void> {
  try {
    const notes = readNotes(file);
    const first = await notes.next();
    const fits = first.done !== true && about.equals(first.value);
    let bytes = fits ? HEAD_BYTES + about.length : 0;
    if (fits) for await (const note of notes) bytes += HEAD_BYTES + note.length;
    await file.truncate(bytes);
    if (!fits) await append(file, about);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function append(file: FileHandle, note: Uint8Array): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(note.length, 0);
  head.writeUInt32LE(crc32(note), 4);
  await file.appendFile(head);
  await file.appendFile(note);
}

/** The notes that are whole, up to the first that is not. */
async function* readNotes(file: FileHandle): AsyncGenerator<Buffer, void> {
  const { size } = await file.stat();
  for (let position = 0; ; ) {
    const head = await readAt(file, position, HEAD_BYTES, size);
    const note = head && (await readAt(file, position + HEAD_BYTES, head.readUInt32LE(0), size));
    if (!head || !note || crc32(note) !== head.readUInt32LE(4)) return;
    yield note;
    position += HEAD_BYTES + note.length;
  }
}

async function readAt(file: FileHandle, position: number, length: number, size: number): Promise<Buffer | null> {
  if (position + length > size) return null;
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return bytesRead === length ? buffer : null;
}
