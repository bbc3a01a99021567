import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDurably } from '@chiffchaff/acquire';

const LONGEST_WRITE_MS = 600_000;

/** Writes to a temporary file and renames it, so that readers never see a partial file, even with several writers. */
export async function writeAtomically(path: string, parts: readonly Uint8Array[]): Promise<void> {
  await removeAside(path);
  const aside = `${path}.${randomUUID()}.part`;
  try {
    await writeDurably(aside, parts);
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
