import type { Migration } from './migrate.ts';

/** All steps of the schema, oldest first. A published step is never edited: what changes later is a further step. */
export const migrations: readonly Migration[] = [
  // Accounts, their sessions and one-time codes, and what has to be remembered about them in every identity mode.
  {
    name: '0001-accounts',
    sql: `
      CREATE TABLE accounts (
        id TEXT PRIMARY KEY,
        email TEXT NOT NULL UNIQUE,
        emailVerified INTEGER NOT NULL DEFAULT 0 CHECK (emailVerified IN (0, 1)),
        passwordHash TEXT NOT NULL,
        passwordUpdatedAtMs INTEGER NOT NULL,
        displayName TEXT,
        photoUrl TEXT,
        disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
        customAttributes TEXT,
        createdAtMs INTEGER NOT NULL,
        lastLoginAtMs INTEGER NOT NULL,
        lastRefreshAtMs INTEGER,
        validSinceSeconds INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        accountId TEXT REFERENCES accounts (id) ON DELETE SET NULL,
        refreshTokenHash TEXT NOT NULL UNIQUE,
        authTimeSeconds INTEGER NOT NULL,
        createdAtMs INTEGER NOT NULL,
        lastUsedAtMs INTEGER NOT NULL,
        userAgent TEXT,
        endedAtMs INTEGER,
        endReason TEXT
      ) STRICT;
      CREATE INDEX sessionsByAccount ON sessions (accountId);
      CREATE INDEX sessionsByEnd ON sessions (endedAtMs) WHERE endedAtMs IS NOT NULL;

      CREATE TABLE oneTimeCodes (
        codeHash TEXT PRIMARY KEY,
        accountId TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
        requestType TEXT NOT NULL,
        email TEXT NOT NULL,
        newEmail TEXT,
        createdAtMs INTEGER NOT NULL,
        expiresAtMs INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX oneTimeCodesByAccount ON oneTimeCodes (accountId);
      CREATE INDEX oneTimeCodesByExpiry ON oneTimeCodes (expiresAtMs);

      CREATE TABLE termsAcceptances (
        accountId TEXT NOT NULL,
        version TEXT NOT NULL,
        acceptedAtMs INTEGER NOT NULL,
        PRIMARY KEY (accountId, version)
      ) STRICT;

      CREATE TABLE accountDeletions (
        accountId TEXT PRIMARY KEY,
        deletedAtMs INTEGER NOT NULL
      ) STRICT;
    `,
  },
  // What was asked and answered about recordings, by account; the rows that wait for an answer are the queue.
  {
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
  },
  // Sound that is kept of recordings, until when, and what accounts want kept. The sound itself lies in files named by `id`.
  {
    name: '0003-kept-audio',
    sql: `
      CREATE TABLE keptSounds (
        id TEXT PRIMARY KEY,
        accountId TEXT NOT NULL,
        predictionId TEXT NOT NULL,
        createdAtMs INTEGER NOT NULL,
        recordingUntilMs INTEGER,
        momentsUntilMs INTEGER,
        moments TEXT NOT NULL,
        durationSeconds REAL NOT NULL,
        channels INTEGER NOT NULL,
        asSentType TEXT,
        UNIQUE (accountId, predictionId)
      ) STRICT;
      CREATE INDEX keptSoundsByRecordingEnd ON keptSounds (recordingUntilMs) WHERE recordingUntilMs IS NOT NULL;
      CREATE INDEX keptSoundsByMomentsEnd ON keptSounds (momentsUntilMs) WHERE momentsUntilMs IS NOT NULL;

      CREATE TABLE accountSettings (
        accountId TEXT PRIMARY KEY,
        keepAudio TEXT NOT NULL CHECK (keepAudio IN ('nothing', 'moments', 'recording'))
      ) STRICT;
    `,
  },
  // Recordings that arrive in pieces, over several connections. Their bytes lie in files named by `id`.
  {
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
  },
  // Before this step, pages asked for a listening copy by themselves, whatever had been chosen to be kept. Such copies are due at once (the
  // next sweep removes their files), and work that is still waiting keeps what was chosen. Half an hour was the lifetime of every copy; a
  // recording that was chosen to be kept stays for a day at least.
  {
    name: '0005-listening-copies',
    sql: `
      UPDATE keptSounds SET recordingUntilMs = createdAtMs WHERE recordingUntilMs <= createdAtMs + 1800000;
      UPDATE predictions SET fields = json_remove(fields, '$.listeningCopy') WHERE uploadName IS NOT NULL;
    `,
  },
  // Refresh tokens that are replaced when they are used; sessions of before keep their first one until then.
  {
    name: '0006-refresh-rotation',
    sql: `
      ALTER TABLE sessions ADD COLUMN currentTokenHash TEXT;
      ALTER TABLE sessions ADD COLUMN previousTokenHash TEXT;
      ALTER TABLE sessions ADD COLUMN successorKey TEXT;
      ALTER TABLE sessions ADD COLUMN rotatedAtMs INTEGER;
    `,
  },
  // One server serves a data folder: work under way is known to its process, and in the database a job is queued until it has an answer. Attempts
  // count something else from now on. `receiver`, `leaseHolder` and `leaseUntilMs` are no longer used; to drop them would write every answer anew.
  {
    name: '0007-one-server',
    sql: `
      UPDATE predictions SET state = 'queued', attempts = 0, leaseHolder = NULL, leaseUntilMs = NULL WHERE state IN ('queued', 'listening');
      DROP INDEX predictionsInWork;
      CREATE INDEX predictionsQueued ON predictions (createdAtMs) WHERE state = 'queued';
    `,
  },
];
