import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * How much a thread gives way to others (0 to 19): what reads requests and answers them needs little, but at once. Linux only, where
 * each thread has a priority of its own.
 */
const NICENESS = 5;

/** To be called by a thread that computes for long. */
export function giveWay(): void {
  if (process.platform === 'linux') setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICENESS);
}
