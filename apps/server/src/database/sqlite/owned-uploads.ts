import type Sqlite from 'better-sqlite3';

/** A row that owns a recording in the upload folder. */
export interface OwnedUpload {
  readonly id: string;
  /** name in the upload folder */
  readonly uploadName: string;
  readonly inWork: 0 | 1;
}

export const ownedUploads = (sqlite: Sqlite.Database): readonly OwnedUpload[] =>
  sqlite
    .prepare<[], OwnedUpload>(
      "SELECT id, uploadName, state = 'queued' AS inWork FROM main.predictions WHERE uploadName IS NOT NULL",
    )
    .all();
