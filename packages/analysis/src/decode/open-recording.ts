import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a recording for reading. Without O_NONBLOCK, opening a pipe that has no writer would block for ever. */
export const openRecording = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));

/** Reads parts of an open recording. A header may point anywhere, even far beyond any valid file offset. */
export const partsOf = (file: FileHandle, size: number) => async (offset: number, length: number) => {
  if (!(offset < size)) return new Uint8Array(0);
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
};
