import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeEvidence, type Evidence, encodeEvidence, type ModelManifest, RecognizerError } from '@chiffchaff/recognizer';

type Analyse = (path: string, signal: AbortSignal) => Promise<Evidence>;

/** Gives the evidence of a sound: what is kept of it, or else what `analyse` finds. `sound` tells it from all others. */
export type EvidenceCache = (sound: string | Uint8Array, analyse: () => Promise<Evidence>) => Promise<Evidence>;

/**
 * Keeps evidence in a folder, so that what was heard once is read the next time. It is found by the sound and by all that decides
 * what is heard in it: the model and the parts of its manifest that go into evidence. The words and the coefficients do not.
 */
export function openEvidenceCache(folder: string, manifest: ModelManifest): EvidenceCache {
  const { audio, labels, defaults, calibration } = manifest;
  const { pooling, passages, clipping } = calibration;
  const heardBy = JSON.stringify([audio, labels, defaults, pooling, passages, clipping]);

  return async (sound, analyse) => {
    const key = createHash('sha256').update(heardBy).update(sound).digest('hex');
    const file = join(folder, `${key}.evidence`);
    const kept = await readKept(file);
    if (kept !== null) return kept;
    const evidence = await analyse();
    await mkdir(folder, { recursive: true });
    // Written aside and renamed: a run that is stopped leaves no half of a file.
    const aside = join(folder, `.${randomUUID()}`);
    await writeFile(aside, encodeEvidence(evidence));
    await rename(aside, file);
    // What is read the next time is what is used the first time.
    return decodeEvidence(encodeEvidence(evidence));
  };
}

/** Recordings are told apart by their bytes. */
export function cacheEvidence(analyse: Analyse, cache: EvidenceCache): Analyse {
  return async (recording, signal) => cache(await readFile(recording, { signal }), () => analyse(recording, signal));
}

/** Null when there is none, or it is of an older form. */
async function readKept(file: string): Promise<Evidence | null> {
  try {
    return decodeEvidence(await readFile(file));
  } catch (error) {
    if (error instanceof RecognizerError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return null;
    throw error;
  }
}
