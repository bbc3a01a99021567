/*
 * Everything that the page stores on this device apart from its own files: whose it is, and what becomes of it at sign-out. Only this file
 * and `open-database.ts` open the browser's storage: `tools/storage-registry.grit`.
 */

/** Shared by all who use this browser. */
const ofDevice = { owner: 'device', atSignOut: 'keep' } as const;
const ofAccount = { owner: 'account', atSignOut: 'delete' } as const;
/** Deleted by the code that writes it whenever the session ends, even by itself. */
const ofSession = { owner: 'account', atSignOut: 'delete with the session' } as const;
/** Recordings that may be nowhere else: of an account, or else of the device. What stays is shown to its owner only. */
const ofRecorder = { owner: 'account or device', atSignOut: 'ask' } as const;

export const stored = {
  localStorage: {
    token: ofSession,
    tokenExpiry: ofSession,
    user: ofSession,
    userId: ofSession,
    refreshToken: ofSession,
    place: ofAccount,
    preferences: ofDevice,
    onDevice: ofDevice,
  },
  sessionStorage: { answers: ofSession, config: ofDevice, sessionEnded: ofDevice },
  caches: {
    config: ofDevice,
    'on-device-model': ofDevice,
    'on-device-places': ofDevice,
    'shared-recordings': ofDevice,
  },
  folders: { recordings: ofDevice, outbox: ofRecorder },
  databases: { outbox: ofRecorder },
} as const;

type Area = 'localStorage' | 'sessionStorage';
type Key<Where extends Area> = keyof (typeof stored)[Where] & string;
type CacheName = keyof typeof stored.caches;
export type DatabaseName = keyof typeof stored.databases;

/** The part of `Storage` that is used, for registered keys. */
export interface Items<Where extends Area> {
  getItem(key: Key<Where>): string | null;
  setItem(key: Key<Where>, text: string): void;
  removeItem(key: Key<Where>): void;
}

/** null where the browser forbids it, as in some private windows */
export function findItems<Where extends Area>(where: Where): Items<Where> | null {
  try {
    const items = Reflect.get(globalThis, where);
    items.getItem('');
    return items;
  } catch {
    return null;
  }
}

export const readItem = <Where extends Area>(where: Where, key: Key<Where>): string | null =>
  findItems(where)?.getItem(key) ?? null;

/** The value of an item that holds JSON; null if it is missing or damaged. */
export function readJson<Where extends Area>(where: Where, key: Key<Where>): unknown {
  try {
    return JSON.parse(readItem(where, key) ?? 'null');
  } catch {
    return null;
  }
}

/** @param text null removes the item. @returns false if the browser refuses, as when there is no room */
export function writeItem<Where extends Area>(where: Where, key: Key<Where>, text: string | null): boolean {
  const items = findItems(where);
  try {
    if (text === null) items?.removeItem(key);
    else items?.setItem(key, text);
    return items !== null;
  } catch {
    return false;
  }
}

/** @throws DOMException, or ReferenceError on plain http */
export const openCache = async (name: CacheName): Promise<Cache> => caches.open(name);
export const deleteCache = async (name: CacheName): Promise<boolean> => caches.delete(name);
export const matchIn = async (name: CacheName, address: string) => caches.match(address, { cacheName: name });

/** null if it does not exist: opening it would create an empty one */
export const findCache = async (name: CacheName): Promise<Cache | null> =>
  'caches' in globalThis && (await caches.has(name)) ? caches.open(name) : null;

/** A folder of the origin's private file system. @throws DOMException, or TypeError on plain http */
export const openFolder = async (name: keyof typeof stored.folders): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });

/** Whether a database exists; true if the browser does not say. */
export const mayHaveDatabase = async (name: DatabaseName): Promise<boolean> =>
  (await indexedDB.databases?.())?.some((found) => found.name === name) ?? true;
