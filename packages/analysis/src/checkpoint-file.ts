import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { codeOf } from '@chiffchaff/acquire';
import type { EvidenceCheckpoint } from '@chiffchaff/recognizer';

/** Length and checksum in front of each record. */
const HEAD_BYTES = 8;

/**
 * Opens the file with the checkpoints of one recording, which survives the process. It is created with the first checkpoint, since most
 * recordings are too short for one.
 *
 * @param subject identifies what the checkpoints are for; the first record of the file
 */
export async function openCheckpointFile(path: string, subject: string) {
  const about = Buffer.from(subject);
  let file = await openExisting(path);
  return {
    /**
     * Checkpoints of an earlier attempt, oldest first, one at a time because those of hours are long. Read them all before appending any:
     * at the end, drops a record that was cut off when the process ended and all after it, and all checkpoints of another subject.
     */
    async *readFound(): AsyncGenerator<EvidenceCheckpoint, void> {
      if (!file) return;
      let bytes = 0;
      for await (const record of readRecords(file)) {
        if (bytes === 0 && !about.equals(record)) break;
        if (bytes > 0) yield deserialize(record) as EvidenceCheckpoint; // what `append` wrote
        bytes += HEAD_BYTES + record.length;
      }
      await file.truncate(bytes);
      if (bytes === 0) await append(file, about);
    },
    async append(checkpoint: EvidenceCheckpoint): Promise<void> {
      const record = serialize(checkpoint);
      if (!file) {
        file = await open(path, 'a+', 0o600);
        await append(file, about);
      }
      await append(file, record);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await file?.close();
    },
  };
}

async function openExisting(path: string): Promise<FileHandle | null> {
  try {
    // Not `a+`, which would create it.
    return await open(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function append(file: FileHandle, record: Buffer): Promise<void> {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(record.length, 0);
  head.writeUInt32LE(crc32(record), 4);
  await file.appendFile(head);
  await file.appendFile(record);
}

/** Yields complete records, up to the first that is not. */
async function* readRecords(file: FileHandle): AsyncGenerator<Buffer, void> {
  const { size } = await file.stat();
  for (let position = 0; ; ) {
    const head = await readAt(file, position, HEAD_BYTES, size);
    const record = head && (await readAt(file, position + HEAD_BYTES, head.readUInt32LE(0), size));
    if (!head || !record || crc32(record) !== head.readUInt32LE(4)) return;
    yield record;
    position += HEAD_BYTES + record.length;
  }
}

async function readAt(file: FileHandle, position: number, length: number, size: number): Promise<Buffer | null> {
  if (position + length > size) return null;
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return bytesRead === length ? buffer : null;
}
