import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PLACE_FILE_NAME } from './place-file.ts';
import { openPlaceIndex, type PlaceIndex } from './place-index.ts';

const SCRIPT = fileURLToPath(new URL('write-place-file.ts', import.meta.url));
const LONGEST_WRITE_MS = 600_000;

export type PreparedPlaces = ReturnType<typeof createPreparedPlaces>;

/**
 * An index that is made when it is first needed, and kept in a folder of caches for the next start.
 *
 * @param folder where the place file is kept; it can be removed at any time while the server does not run
 */
export function createPreparedPlaces(folder: string) {
  const path = join(folder, PLACE_FILE_NAME);
  const closing = new AbortController();
  let index: Promise<PlaceIndex> | null = null;

  async function openOrWrite(): Promise<PlaceIndex> {
    try {
      return openPlaceIndex(path);
    } catch {
      // Not there, or not whole, or of another version: it is written anew.
      await writeFile();
      return openPlaceIndex(path);
    }
  }

  /** Aside first, so that there is a whole file or none, however many processes do this at once. */
  async function writeFile(): Promise<void> {
    const aside = `${path}.${randomUUID()}.part`;
    await mkdir(folder, { recursive: true });
    await removeOld();
    try {
      const node = ['--disable-warning=ExperimentalWarning', SCRIPT, aside];
      await promisify(execFile)(process.execPath, node, { signal: closing.signal, killSignal: 'SIGKILL' });
      await rename(aside, path);
    } finally {
      await rm(aside, { force: true });
    }
  }

  /** What killed processes and earlier versions left; no process writes for so long. */
  async function removeOld(): Promise<void> {
    for (const name of await readdir(folder)) {
      if (!name.startsWith('places-') || name === PLACE_FILE_NAME) continue;
      const left = await stat(join(folder, name)).catch(() => null);
      if (left !== null && Date.now() - left.mtimeMs > LONGEST_WRITE_MS) await rm(join(folder, name), { force: true });
    }
  }

  function get(): Promise<PlaceIndex> {
    index ??= openOrWrite().catch((error: unknown) => {
      index = null;
      throw error;
    });
    return index;
  }

  return {
    /** Makes the index if it is not there; takes some seconds of a processor, in a process of its own. */
    prepare: async (): Promise<void> => void (await get()),
    search: async (query: string) => (await get()).search(query),
    regionAt: async (latitude: number, longitude: number) => (await get()).regionAt(latitude, longitude),
    async close() {
      closing.abort();
      await index?.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}
