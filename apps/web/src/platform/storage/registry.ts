/*
 * Everything that the page stores on this device apart from its own files: whose it is, and what becomes of it at sign-out, which
 * `page-session.ts` has carried out. Only this file and `open-database.ts` open the browser's storage: `tools/storage-registry.grit`.
 */

/** Shared by all who use this browser; tells nothing of an account. */
const ofDevice = { owner: 'device', atSignOut: 'keep' } as const;
/** Also deleted when another account signs in after the session has expired; until then, its account finds it again. */
const ofAccount = { owner: 'account', atSignOut: 'delete' } as const;
/** Deleted by the code that writes it whenever the session ends, even by itself. */
const ofSession = { owner: 'account', atSignOut: 'delete with the session' } as const;
/** Recordings that may be nowhere else: of the account that was signed in, or else of the device. What stays is shown to its owner only. */
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
    /** Occurrences at places of the account; regions and time zones belong to the device. */
    'on-device-places': { ...ofAccount, isOfDevice: ({ searchParams }: URL) => !searchParams.has('latitude') },
    'shared-recordings': ofAccount,
  },
  folders: { recordings: ofRecorder, outbox: ofRecorder },
  databases: { outbox: ofRecorder },
} as const;

type Area = 'localStorage' | 'sessionStorage';
type Key<Where extends Area> = keyof (typeof stored)[Where] & string;
type CacheName = keyof typeof stored.caches;
type FolderName = keyof typeof stored.folders;
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

/** `localId` of the account whose session this browser stores, even while it cannot be renewed; null for none. */
export const accountHere = (): string | null => readItem('localStorage', 'userId');

/** @throws DOMException, or ReferenceError on plain http */
export const openCache = async (name: CacheName): Promise<Cache> => caches.open(name);
export const deleteCache = async (name: CacheName): Promise<boolean> => caches.delete(name);
export const matchIn = async (name: CacheName, address: string) => caches.match(address, { cacheName: name });

/** null if it does not exist: opening it would create an empty one */
export const findCache = async (name: CacheName): Promise<Cache | null> =>
  'caches' in globalThis && (await caches.has(name)) ? caches.open(name) : null;

/** A folder of the origin's private file system. @throws DOMException, or TypeError on plain http */
export const openFolder = async (name: FolderName, options = { create: true }): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle(name, options);

/** Ends the name of what belongs to an account; empty for what belongs to the device. */
export const ownerMark = (owner: string | null): string => (owner === null ? '' : `@${encodeURIComponent(owner)}`);

const isOf = (name: string, owner: string | null): boolean => name.replace(/^[^@]*/, '') === ownerMark(owner);
/** Whether something of this name belongs to the device or to the account that is here. */
export const isShownHere = (name: string): boolean => isOf(name, null) || isOf(name, accountHere());

/** Names in a folder, of what belongs to an account, or with null to the device; none if the browser keeps no files. */
export async function namesIn(folder: FolderName, owner?: string | null): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const name of (await openFolder(folder, { create: false })).keys())
      if (owner === undefined || isOf(name, owner)) names.push(name);
  } catch {
    // The folder does not exist, or a private window refuses.
  }
  return names;
}

/** Whether a database exists; true if the browser does not say. */
export const mayHaveDatabase = async (name: DatabaseName): Promise<boolean> =>
  (await indexedDB.databases?.())?.some((found) => found.name === name) ?? true;

/** Deletes what an account leaves that goes at sign-out: items at once, the rest when this resolves. */
export async function forgetAccount(): Promise<void> {
  for (const [key, { atSignOut }] of Object.entries(stored.localStorage))
    if (atSignOut === 'delete') writeItem('localStorage', key as Key<'localStorage'>, null);
  for (const [name, entry] of Object.entries(stored.caches)) {
    const cache = entry.atSignOut === 'delete' ? await findCache(name as CacheName) : null;
    const isOfDevice = 'isOfDevice' in entry ? entry.isOfDevice : () => false;
    for (const request of (await cache?.keys()) ?? []) if (!isOfDevice(new URL(request.url))) await cache?.delete(request);
  }
}
