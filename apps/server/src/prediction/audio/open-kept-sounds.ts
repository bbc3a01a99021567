import { join } from 'node:path';
import type { Database } from '../../database/open-database.ts';
import { createKeptSounds, type KeepSoundsOptions, type KeptSounds } from './keep-sounds.ts';
import { openSoundFolder } from './sound-folder.ts';
import { createSoundStore } from './sound-store.ts';

export interface OpenKeptSoundsOptions extends Omit<KeepSoundsOptions, 'store' | 'folder'> {
  readonly database: Database;
  /** `DATA_DIR`, absolute; sound lies in `audio` below it */
  readonly dataDir: string;
}

/** Opens what is kept of recordings' sound. It sweeps from `start()` on. */
export async function openKeptSounds({ database, dataDir, ...options }: OpenKeptSoundsOptions): Promise<KeptSounds> {
  const folder = await openSoundFolder(join(dataDir, 'audio'));
  return createKeptSounds({ ...options, store: createSoundStore(database), folder });
}
