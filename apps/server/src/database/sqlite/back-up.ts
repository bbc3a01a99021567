import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { hasCode } from '../../system-error.ts';
import { DatabaseError, explainFull } from '../database-error.ts';
import { tables } from '../tables.ts';
import { MARKER_FILE_NAME } from './data-marker.ts';
import { stepOf } from './migrate.ts';
import { BUSY_TIMEOUT_MS, DATABASE_FILE_NAME } from './open-sqlite.ts';

/**
 * Copies a data folder while a server may be writing to it: a snapshot of the database (`VACUUM INTO`), and the files that its rows own.
 * Other files (model, ffmpeg, caches) can be downloaded again. The destination gets its name only once it is complete, and can replace a
 * data folder; nothing of it stays if the backup fails.
 *
 * @param folder `DATA_DIR`
 * @param destination a folder that does not exist yet
 * @throws DatabaseError FILE_MISSING or FILE_EMPTY if there is nothing to copy, FOLDER_NOT_WRITABLE if the destination exists already,
 * DISK_FULL
 */
export function backUp(folder: string, destination: string): void {
  if (!existsSync(join(folder, DATABASE_FILE_NAME)))
    throw new DatabaseError('FILE_MISSING', `There is no ${DATABASE_FILE_NAME} in ${folder}.`);
  if (existsSync(destination)) {
    throw new DatabaseError('FOLDER_NOT_WRITABLE', `${destination} already exists. Give a folder that does not exist yet.`);
  }
  const part = `${destination}.part`;
  if (existsSync(part) && readdirSync(part).length > 0) {
    throw new DatabaseError('FOLDER_NOT_WRITABLE', `${part} was left by a backup that did not finish. Remove it first.`);
  }
  try {
    copyFolder(folder, part);
    renameSync(part, destination);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // Only the live database has a write-ahead log, whose index needs space beside it.
    throw hasCode(error, 'SQLITE_IOERR_SHMSIZE') ? explainFull(error) : explainFull(error, destination);
  }
}

function copyFolder(folder: string, part: string): void {
  mkdirSync(part, { recursive: true, mode: 0o700 });
  const source = join(folder, DATABASE_FILE_NAME);
  const sqlite = new Sqlite(source, { readonly: true });
  const copiedMs = Date.now();
  try {
    if (stepOf(sqlite) === 0) throw new DatabaseError('FILE_EMPTY', `${source} is empty.`);
    sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const path = join(part, DATABASE_FILE_NAME);
    sqlite.prepare('VACUUM INTO ?').run(path);
    chmodSync(path, 0o600);
    const copy = new Sqlite(path);
    try {
      copy.prepare('ATTACH ? AS live').run(source);
      copyUploads(copy, folder, part);
      recopyFinishedJobs(copy, part);
      copySounds(copy, folder, part);
      copy.exec('DETACH live');
      // A server that starts with the copy says what it is, and knows its last backup.
      const note = copy.prepare('INSERT OR REPLACE INTO lastTimes (what, atMs) VALUES (?, ?)');
      for (const what of ['copied', 'backup']) note.run(what, copiedMs);
    } finally {
      copy.close();
    }
  } finally {
    sqlite.close();
  }
  for (const name of [MARKER_FILE_NAME, 'keys']) copyUnlessDeleted(join(folder, name), join(part, name));
}

/** The rows that own a recording in the upload folder. */
const ownedUploads = (copy: Sqlite.Database) =>
  copy
    .prepare<[], { readonly id: string; readonly uploadName: string; readonly inWork: 0 | 1 }>(
      "SELECT id, uploadName, state = 'queued' AS inWork FROM main.predictions WHERE uploadName IS NOT NULL",
    )
    .all();

/** Copies the recordings that the copied rows still need, with their checkpoints. */
function copyUploads(copy: Sqlite.Database, folder: string, part: string): void {
  for (const { uploadName } of ownedUploads(copy)) {
    const path = join('uploads', uploadName);
    for (const ending of ['', '.checkpoint']) copyUnlessDeleted(join(folder, path + ending), join(part, path + ending));
  }
}

/**
 * Copies the rows of some jobs again: those that were queued when the database was copied, but finished before their recording was. The
 * recording is gone, but the job has an answer now, or it was cancelled.
 */
function recopyFinishedJobs(copy: Sqlite.Database, part: string): void {
  const ended = ownedUploads(copy).filter(
    ({ inWork, uploadName }) => inWork === 1 && !existsSync(join(part, 'uploads', uploadName)),
  );
  const parts = Object.entries(tables).flatMap(([table, columns]) =>
    'predictionId' in columns ? [[table, 'predictionId']] : [],
  );
  copy.transaction(() => {
    for (const { id } of ended) {
      for (const [table, of] of [['predictions', 'id'], ...parts]) {
        copy.prepare(`DELETE FROM main.${table} WHERE ${of} = ?`).run(id);
        copy.prepare(`INSERT INTO main.${table} SELECT * FROM live.${table} WHERE ${of} = ?`).run(id);
      }
    }
  })();
}

/** Copies the kept audio of the copied rows. What was deleted or expired since is deleted from the copy too. */
function copySounds(copy: Sqlite.Database, folder: string, part: string): void {
  const ids = copy.prepare<[], string>('SELECT id FROM main.keptSounds').pluck().all();
  for (const id of ids) copyUnlessDeleted(join(folder, 'audio', id), join(part, 'audio', id));
  // In a transaction, for a consistent view of the live database.
  copy.transaction(() =>
    copy.exec(`
      DELETE FROM main.keptSounds WHERE id NOT IN (SELECT id FROM live.keptSounds);
      UPDATE main.keptSounds SET (recordingUntilMs, momentsUntilMs) =
        (SELECT recordingUntilMs, momentsUntilMs FROM live.keptSounds WHERE live.keptSounds.id = main.keptSounds.id)`),
  )();
  const left = new Set(copy.prepare<[], string>('SELECT id FROM main.keptSounds').pluck().all());
  for (const id of ids) if (!left.has(id)) rmSync(join(part, 'audio', id), { recursive: true, force: true });
}

/** A file that disappears while it is copied was rightly deleted by the server. */
function copyUnlessDeleted(from: string, to: string): void {
  if (!existsSync(from)) return;
  try {
    cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith('.part') });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    copyUnlessDeleted(from, to);
  }
}
