import type { Migration } from '../migrate.ts';

/** Recordings that arrive in pieces, over several connections. Their bytes lie in files named by `id`. */
export const resumableUploads: Migration = {
  name: '0004-resumable-uploads',
  sql: `
    CREATE TABLE resumableUploads (
      id TEXT PRIMARY KEY,
      accountId TEXT NOT NULL,
      createdAtMs INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      metadata TEXT NOT NULL,
      sha256 TEXT,
      usedAtMs INTEGER
    ) STRICT;
    CREATE INDEX resumableUploadsByAccount ON resumableUploads (accountId, createdAtMs);
    CREATE INDEX resumableUploadsByAge ON resumableUploads (createdAtMs);
  `,
};
