import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import type { DBSchema } from 'idb';
import type { ApiError } from '../api/api-error.ts';
import type { DeviceQuestion } from '../on-device/device-recognizer.ts';
import { openDatabase } from '../storage/open-database.ts';
import { openFolder } from '../storage/registry.ts';

/* Storage of the outbox: one row per recording in IndexedDB, its audio in the origin's private file system. */

export interface StoredItem {
  readonly id: string;
  /** The request's idempotency key, created when the item is added and again when it is resent after a refusal. */
  readonly key: string;
  /** `localId` of the account that it belongs to; null: it belongs to the device and is not sent until an account keeps it */
  readonly owner: string | null;
  readonly fileName: string;
  /** media type of the audio */
  readonly type: string;
  /** of the audio */
  readonly bytes: number;
  /** ISO instant at which the recording began */
  readonly startedAt: string;
  /** ISO instant */
  readonly addedAt: string;
  readonly question: DeviceQuestion;
  /** Audio retention chosen for this recording; null means the account's setting. */
  readonly keepAudio?: KeepAudio | null;
  /** The prediction made on this device. */
  readonly prediction: Prediction;
  /**
   * `waiting`: sent as soon as possible. `leftOut`: sent only on request. `refused`: by the server, for good. `arrived`: the server's
   * prediction names other birds, and the audio has been removed from this device.
   */
  readonly state: 'waiting' | 'leftOut' | 'refused' | 'arrived';
  /** An earlier attempt may have reached the server, so its prediction is requested before the recording is sent again. */
  readonly wasTried: boolean;
  /** Address of an upload in pieces that has started. */
  readonly uploadUrl: string | null;
  /** Why the last attempt failed. */
  readonly error: ApiError | null;
  /** The server's prediction, if it names other birds. */
  readonly serverPrediction: Prediction | null;
}

interface OutboxDb extends DBSchema {
  items: { key: string; value: StoredItem };
  /** Audio, in browsers where a page cannot write files. */
  sounds: { key: string; value: Blob };
}

/** Web Lock: shared while audio is written before its row, exclusive while audio without a row is removed. */
const WRITING = 'chiffchaff outbox writing';

/** @throws DOMException if the browser stores nothing */
export async function openOutboxStore() {
  const [db, folder] = await Promise.all([
    openDatabase<OutboxDb>('outbox', 1, {
      upgrade(created) {
        created.createObjectStore('items', { keyPath: 'id' });
        created.createObjectStore('sounds');
      },
    }),
    openFolder('outbox').catch(() => null), // a private window
  ]);

  async function writeSound(id: string, sound: Blob): Promise<void> {
    const file = await folder?.getFileHandle(id, { create: true });
    if (!file || !('createWritable' in file)) {
      await db.put('sounds', sound, id);
      return;
    }
    await sound.stream().pipeTo(await file.createWritable());
  }
  async function removeSound(id: string): Promise<void> {
    await db.delete('sounds', id);
    await folder?.removeEntry(id).catch(() => {}); // it does not exist
  }

  return {
    items: (): Promise<StoredItem[]> => db.getAll('items'),

    /**
     * Writes the audio, then the row, so that no row exists without its audio.
     *
     * @throws DOMException `QuotaExceededError` when the disk is full
     */
    add(item: StoredItem, sound: Blob): Promise<void> {
      return navigator.locks.request(WRITING, { mode: 'shared' }, async () => {
        try {
          await writeSound(item.id, sound);
          await db.put('items', item);
        } catch (error) {
          await removeSound(item.id);
          throw error;
        }
      });
    },

    /** Changes a row; does nothing if it has been removed. */
    async change(id: string, part: Partial<StoredItem>): Promise<void> {
      const change = db.transaction('items', 'readwrite');
      const present = await change.store.get(id);
      if (present) await change.store.put({ ...present, ...part });
      await change.done;
    },

    /** @returns null if it does not exist, as after the browser has cleared its storage */
    async sound({ id, fileName, type }: StoredItem): Promise<File | null> {
      const handle = await folder?.getFileHandle(id).catch(() => null);
      const stored = (await handle?.getFile()) ?? (await db.get('sounds', id)) ?? null;
      return stored && new File([stored], fileName, { type });
    },

    removeSound,

    async remove(id: string): Promise<void> {
      await db.delete('items', id);
      await removeSound(id);
    },

    /** Removes audio whose row was never written, as when the tab was killed in between. */
    async sweep(): Promise<void> {
      if (!folder) return;
      await navigator.locks.request(WRITING, { ifAvailable: true }, async (lock) => {
        if (!lock) return;
        const known = new Set(await db.getAllKeys('items'));
        for await (const name of folder.keys()) if (!known.has(name)) await folder.removeEntry(name);
      });
    },
  };
}

export type OutboxStore = Awaited<ReturnType<typeof openOutboxStore>>;
