import { type DBSchema, type OpenDBCallbacks, openDB } from 'idb';
import type { DatabaseName } from './registry.ts';

/** Opens a database of the registry; a file of its own, because few pages need its library. @throws DOMException */
export const openDatabase = <Schema extends DBSchema>(name: DatabaseName, version: number, callbacks: OpenDBCallbacks<Schema>) =>
  openDB<Schema>(name, version, callbacks);
