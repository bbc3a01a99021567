import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeEvidence, type Evidence, encodeEvidence, type ModelManifest, RecognizerError } from '@chiffchaff/recognizer';

type Analyse = (path: string, signal: AbortSignal) => Promise<Evidence>;

/** Returns the evidence of a sound from the cache, or else from `analyse`. `sound` identifies it: its bytes or a unique text. */
export type EvidenceCache = (sound: string | Uint8Array, analyse: () => Promise<Evidence>) => Promise<Evidence>;

/**
 * Caches evidence in a folder, so that later runs need not analyse again. The key consists of the sound, the model and the parts of its
 * manifest that affect evidence, but not the words and the coefficients.
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
    // Write to a temporary file and rename it, so that an interrupted run leaves no partial file.
    const aside = join(folder, `.${randomUUID()}`);
    await writeFile(aside, encodeEvidence(evidence));
    await rename(aside, file);
    // Return exactly what later runs will read.
    return decodeEvidence(encodeEvidence(evidence));
  };
}

/** Caches the evidence of recordings by their bytes. */
export function cacheEvidence(analyse: Analyse, cache: EvidenceCache): Analyse {
  return async (recording, signal) => cache(await readFile(recording, { signal }), () => analyse(recording, signal));
}

/** Null when there is no file or its format is outdated. */
async function readKept(file: string): Promise<Evidence | null> {
  try {
    return decodeEvidence(await readFile(file));
  } catch (error) {
    if (error instanceof RecognizerError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) return null;
    throw error;
  }
}
