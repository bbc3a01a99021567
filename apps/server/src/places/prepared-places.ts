import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installAtomically, putInPlace } from '@chiffchaff/acquire';
import { PLACE_FILE_NAME } from './place-file.ts';
import { openPlaceIndex, type PlaceIndex } from './place-index.ts';

const SCRIPT = fileURLToPath(new URL('write-place-file.ts', import.meta.url));

export type PreparedPlaces = ReturnType<typeof createPreparedPlaces>;

/**
 * A place index that is created when it is first needed, and cached in a folder for the next start.
 *
 * @param folder where the place file is cached; it can be deleted while the server is not running
 */
export function createPreparedPlaces(folder: string) {
  const path = join(folder, PLACE_FILE_NAME);
  const closing = new AbortController();
  let index: Promise<PlaceIndex> | null = null;

  async function openOrWrite(): Promise<PlaceIndex> {
    try {
      return openPlaceIndex(path);
    } catch {
      // Missing, incomplete or of another layout: write it again.
      await writeFile();
      return openPlaceIndex(path);
    }
  }

  async function writeFile(): Promise<void> {
    await installAtomically(path, { signal: closing.signal }, async (aside) => {
      const made = join(aside, PLACE_FILE_NAME);
      const node = ['--disable-warning=ExperimentalWarning', SCRIPT, made];
      await promisify(execFile)(process.execPath, node, { signal: closing.signal, killSignal: 'SIGKILL' });
      await putInPlace(made, path);
    });
  }

  function get(): Promise<PlaceIndex> {
    index ??= openOrWrite().catch((error: unknown) => {
      index = null;
      throw error;
    });
    return index;
  }

  return {
    /** Creates the index if it is missing, which takes some seconds of CPU time in a separate process, unless it is closed before. */
    prepare: async () => void (await get().catch((error: unknown) => closing.signal.aborted || Promise.reject(error))),
    search: async (query: string) => (await get()).search(query),
    regionAt: async (latitude: number, longitude: number) => (await get()).regionAt(latitude, longitude),
    townAt: async (latitude: number, longitude: number) => (await get()).townAt(latitude, longitude),
    townCells: async () => (await get()).townCells(),
    async close() {
      closing.abort();
      await index?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}
