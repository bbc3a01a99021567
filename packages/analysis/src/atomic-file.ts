import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDurably } from '@chiffchaff/acquire';

const LONGEST_WRITE_MS = 600_000;

const DIGEST = { algorithm: 'sha256', bytes: 32 } as const;

/**
 * Writes a temporary file, with a digest at its end, and renames it: readers see a complete file, even with several writers, and
 * `readIntact` finds any change to it.
 */
export async function writeAtomically(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const hash = createHash(DIGEST.algorithm);
  for (const part of parts) hash.update(part);
  await removeAside(path);
  const aside = `${path}.${randomUUID()}.part`;
  try {
    await writeDurably(aside, [...parts, hash.digest()]);
    await rename(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Removes the files of killed processes; no write takes longer than that. */
async function removeAside(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    const left = join(dirname(path), name);
    if (!left.startsWith(`${path}.`)) continue;
    const { mtimeMs } = (await stat(left).catch(() => null)) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > LONGEST_WRITE_MS) await rm(left, { force: true });
  }
}

/** The content of a file that `writeAtomically` wrote; null if it has changed since. */
export async function readIntact(path: string): Promise<Buffer | null> {
  const bytes = await readFile(path);
  const content = bytes.subarray(0, -DIGEST.bytes);
  const digest = createHash(DIGEST.algorithm).update(content).digest();
  return digest.equals(bytes.subarray(content.length)) ? content : null;
}
