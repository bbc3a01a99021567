import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { markerFileName } from './data-marker.ts';
import { DatabaseError } from './database-error.ts';
import { busyTimeoutMs, databaseFileName } from './open-database.ts';

/** Folders below `DATA_DIR` that belong to what the database says; the others (model, ffmpeg, caches) can be fetched again. */
export const backedUpFolders: readonly string[] = ['keys', 'audio', 'uploads'];

/**
 * Copies a data folder while a server may be writing to it: the database as it stands at one moment (`VACUUM INTO`), then the files that
 * go with it. The destination appears under its name only when it is complete; put in the place of a data folder, it is one.
 *
 * A file that the database has forgotten since its copy was made may be missing or left over; the server's start settles both.
 *
 * @param folder `DATA_DIR`
 * @param destination a folder that does not exist yet
 * @throws DatabaseError FILE_MISSING where there is nothing to copy, FOLDER_NOT_WRITABLE where the destination exists already
 */
export function backUp(folder: string, destination: string): void {
  const source = join(folder, databaseFileName);
  if (!existsSync(source)) throw new DatabaseError('FILE_MISSING', `There is no ${databaseFileName} in ${folder}.`);
  if (existsSync(destination)) {
    throw new DatabaseError('FOLDER_NOT_WRITABLE', `${destination} exists already. Name a folder that does not.`);
  }
  const part = `${destination}.part`;
  mkdirSync(part, { recursive: true, mode: 0o700 });
  if (readdirSync(part).length > 0) {
    throw new DatabaseError('FOLDER_NOT_WRITABLE', `${part} is there from a backup that did not finish. Remove it first.`);
  }
  const sqlite = new Sqlite(source, { readonly: true });
  try {
    sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
    const copy = join(part, databaseFileName);
    sqlite.prepare('VACUUM INTO ?').run(copy);
    chmodSync(copy, 0o600);
  } finally {
    sqlite.close();
  }
  for (const name of [markerFileName, ...backedUpFolders]) copyWhatStays(join(folder, name), join(part, name));
  renameSync(part, destination);
}

/** A file that disappears while it is copied has been deleted by the server, and rightly so. */
function copyWhatStays(from: string, to: string): void {
  if (!existsSync(from)) return;
  try {
    cpSync(from, to, { recursive: true, preserveTimestamps: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    copyWhatStays(from, to);
  }
}
