import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Nice value (0 to 19) of threads that compute: threads that handle requests need little time, but at once. Linux only, where each
 * thread has its own priority.
 */
const NICENESS = 5;

/** Lowers the priority of the calling thread. For threads that compute for long. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
}
