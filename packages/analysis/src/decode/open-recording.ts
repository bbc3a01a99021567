import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a recording for reading. Without O_NONBLOCK, opening a pipe that has no writer would block for ever. */
export const openRecording = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
