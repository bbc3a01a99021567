import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '@chiffchaff/acquire';
import { hashedFiles, MANIFEST_FILE } from '@chiffchaff/recognizer';
import { licenceFiles } from './description.ts';
import type { ModelFolder } from './model-folder.ts';

/** A file that a browser may fetch. */
export interface WebFile {
  /** path within the model's folder */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Lists what a browser needs to run a model: manifest, graph and weights of its build, labels and names, and the licence with its
 * notice, which must accompany every copy.
 */
export async function listWebFiles({ folder, manifest }: ModelFolder): Promise<WebFile[]> {
  const { webAudio, labels } = manifest;
  const { namesFolder } = labels;
  const languages = namesFolder === undefined ? [] : (await readdir(join(folder, namesFolder))).sort();
  const known = hashedFiles(manifest);
  const names = [
    MANIFEST_FILE,
    ...[webAudio, webAudio.weights, labels].map(({ file }) => file),
    labels.nonBirdsFile,
    ...languages.map((name) => `${namesFolder}/${name}`),
    ...licenceFiles,
  ];
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { name, bytes: (await stat(path)).size, sha256: known.get(name) ?? (await hashFile(path)) };
    }),
  );
}
