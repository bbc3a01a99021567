import type { Migration } from '../migrate.ts';

/** What was asked and answered about recordings, by account; the rows that wait for an answer are the queue. */
export const predictions: Migration = {
  name: '0002-predictions',
  sql: `
    CREATE TABLE predictions (
      id TEXT PRIMARY KEY,
      accountId TEXT,
      idempotencyKey TEXT,
      requestHash TEXT NOT NULL,
      createdAtMs INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('queued', 'listening', 'done', 'failed')),
      fields TEXT NOT NULL,
      fileName TEXT,
      sha256 TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      uploadName TEXT,
      receiver TEXT NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      leaseHolder TEXT,
      leaseUntilMs INTEGER,
      finishedAtMs INTEGER,
      problem TEXT,
      summary TEXT,
      searchText TEXT,
      answer BLOB,
      deletedAtMs INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX predictionsByKey ON predictions (accountId, idempotencyKey)
      WHERE idempotencyKey IS NOT NULL AND deletedAtMs IS NULL;
    CREATE INDEX predictionsByAccount ON predictions (accountId, createdAtMs, id);
    CREATE INDEX predictionsInWork ON predictions (createdAtMs) WHERE state IN ('queued', 'listening');
    CREATE INDEX predictionsByUpload ON predictions (uploadName) WHERE uploadName IS NOT NULL;
    CREATE INDEX predictionsByDeletion ON predictions (deletedAtMs) WHERE deletedAtMs IS NOT NULL;

    CREATE TABLE predictionEvidence (
      predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
      part INTEGER NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (predictionId, part)
    ) STRICT;

    CREATE TABLE predictionSpecies (
      predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
      scientificName TEXT NOT NULL,
      commonName TEXT NOT NULL,
      confidence REAL NOT NULL,
      PRIMARY KEY (predictionId, scientificName)
    ) STRICT;
  `,
};
