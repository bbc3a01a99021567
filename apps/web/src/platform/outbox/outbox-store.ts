import type { KeepAudio, Prediction } from '@chiffchaff/contract';
import { type DBSchema, openDB } from 'idb';
import type { ApiError } from '../api/api-error.ts';
import type { DeviceQuestion } from '../on-device/device-recognizer.ts';
import { OUTBOX_DATABASE } from './outbox-door.ts';

/* What waits for a connection, on this device: a row in IndexedDB each, and its sound in the origin's private file system. */

export interface StoredItem {
  readonly id: string;
  /** The request's idempotency key, chosen when the item was added, and anew after the server has refused it. */
  readonly key: string;
  /** `localId` of the account that it belongs to; null: of the device, not sent until an account keeps it */
  readonly owner: string | null;
  readonly fileName: string;
  /** media type of the sound */
  readonly type: string;
  /** of the sound */
  readonly bytes: number;
  /** ISO instant at which the recording began */
  readonly startedAt: string;
  /** ISO instant */
  readonly addedAt: string;
  readonly question: DeviceQuestion;
  /** What the person chose to keep of its sound on the server; the account's setting where nothing was chosen. */
  readonly keepAudio?: KeepAudio | null;
  /** The answer of this device. */
  readonly prediction: Prediction;
  /**
   * `waiting` is sent when that can be done; `leftOut` only when that is asked for; `refused` by the server for good; `arrived`: the server's
   * answer names other birds, and the sound has gone from this device.
   */
  readonly state: 'waiting' | 'leftOut' | 'refused' | 'arrived';
  /** Something of it has been sent: the server is asked for an answer before it is sent again. */
  readonly wasTried: boolean;
  /** Address of an upload in pieces that has begun. */
  readonly uploadUrl: string | null;
  /** Why it was refused. */
  readonly error: ApiError | null;
  /** The server's answer, where it names other birds. */
  readonly serverPrediction: Prediction | null;
}

interface OutboxDb extends DBSchema {
  items: { key: string; value: StoredItem };
  /** Sound, where the browser writes no files from a page. */
  sounds: { key: string; value: Blob };
}

const FOLDER = 'outbox';
/** Held while a sound is written whose row is not there yet, and alone while sounds without rows are removed. */
const WRITING = 'chiffchaff outbox writing';

async function openFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return await root.getDirectoryHandle(FOLDER, { create: true });
  } catch {
    return null; // a private window
  }
}

/** @throws DOMException where the browser keeps nothing */
export async function openOutboxStore() {
  const [db, folder] = await Promise.all([
    openDB<OutboxDb>(OUTBOX_DATABASE, 1, {
      upgrade(created) {
        created.createObjectStore('items', { keyPath: 'id' });
        created.createObjectStore('sounds');
      },
    }),
    openFolder(),
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
    await folder?.removeEntry(id).catch(() => {}); // it is not there
  }

  return {
    items: (): Promise<StoredItem[]> => db.getAll('items'),

    /** Writes the sound, then the row: a row without its sound there never is. @throws DOMException `QuotaExceededError` when the disk is full */
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

    /** Changes a row; one that has gone meanwhile stays so. */
    async change(id: string, part: Partial<StoredItem>): Promise<void> {
      const change = db.transaction('items', 'readwrite');
      const present = await change.store.get(id);
      if (present) await change.store.put({ ...present, ...part });
      await change.done;
    },

    /** @returns null when it is not there, as after the browser has cleared its storage */
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

    /** Removes sounds whose row was never written, as when the tab was killed between the two. */
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
