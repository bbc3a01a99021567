import type Sqlite from 'better-sqlite3';

/** A row that owns a recording in the upload folder. */
export interface OwnedUpload {
  readonly id: string;
  /** path below the upload folder */
  readonly uploadName: string;
  readonly inWork: 0 | 1;
}

/** Older schemas have fewer tables. */
export const hasTable = (sqlite: Sqlite.Database, name: string): boolean =>
  sqlite.prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;

export function ownedUploads(sqlite: Sqlite.Database): readonly OwnedUpload[] {
  if (!hasTable(sqlite, 'predictions')) return [];
  return sqlite
    .prepare<[], OwnedUpload>(
      "SELECT id, uploadName, state = 'queued' AS inWork FROM main.predictions WHERE uploadName IS NOT NULL",
    )
    .all();
}
