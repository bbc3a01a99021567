/**
 * The schema of the database, as steps that `sqlite/migrate.ts` and `postgres/migrate.ts` run when a server opens it. All SQL is in SQLite's
 * words; `postgres/migrate.ts` translates it.
 */

/** A step that changes the schema, completely or not at all. */
export interface SchemaChange {
  readonly name: string;
  readonly sql: string;
  /** run after `sql`, on SQLite only: for what PostgreSQL stores in another way */
  readonly onSqlite?: string;
  /** run after `sql`, on PostgreSQL only: for state that several machines share and a single machine has in memory */
  readonly onPostgres?: string;
}

/** A step that builds an index over rows that exist. On PostgreSQL, running machines can write meanwhile. */
export interface IndexBuild {
  readonly name: string;
  readonly index: string;
  /** what follows ON: the table, its columns and perhaps a condition */
  readonly on: string;
}

/**
 * One forward step of the schema. Steps only add, so that during a rolling update a program of the previous step keeps working beside one
 * of this step.
 */
export type Migration = SchemaChange | IndexBuild;

/** All steps of the schema, oldest first. Never edit a published step: add a further one. */
export const migrations: readonly Migration[] = [
  {
    name: '0001-initial',
    sql: `
      -- Accounts, their sessions, one-time codes and invitations.
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

      CREATE TABLE invitations (
        codeHash TEXT PRIMARY KEY,
        email TEXT NOT NULL,
        createdAtMs INTEGER NOT NULL,
        expiresAtMs INTEGER NOT NULL,
        usedAtMs INTEGER,
        accountId TEXT
      ) STRICT;
      CREATE INDEX invitationsByEmail ON invitations (email);
      CREATE INDEX invitationsByAccount ON invitations (accountId) WHERE accountId IS NOT NULL;

      -- What every identity mode stores about accounts, by their ids.
      CREATE TABLE termsAcceptances (
        accountId TEXT NOT NULL,
        version TEXT NOT NULL,
        acceptedAtMs INTEGER NOT NULL,
        PRIMARY KEY (accountId, version)
      ) STRICT;

      CREATE TABLE apiTokens (
        id TEXT PRIMARY KEY,
        accountId TEXT NOT NULL,
        tokenHash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        mayRead INTEGER NOT NULL CHECK (mayRead IN (0, 1)),
        mayPredict INTEGER NOT NULL CHECK (mayPredict IN (0, 1)),
        createdAtMs INTEGER NOT NULL,
        expiresAtMs INTEGER,
        lastUsedAtMs INTEGER
      ) STRICT;
      CREATE INDEX apiTokensByAccount ON apiTokens (accountId);
      CREATE INDEX apiTokensByExpiry ON apiTokens (expiresAtMs) WHERE expiresAtMs IS NOT NULL;

      CREATE TABLE accountSettings (
        accountId TEXT PRIMARY KEY,
        keepAudio TEXT NOT NULL CHECK (keepAudio IN ('nothing', 'moments', 'shortRecording', 'recording'))
      ) STRICT;

      -- Accounts that were deleted or disabled, until everything that follows from it is done, at once or at the next start.
      CREATE TABLE accountDeletions (
        accountId TEXT PRIMARY KEY,
        deletedAtMs INTEGER NOT NULL
      ) STRICT;

      CREATE TABLE accountEndings (
        accountId TEXT PRIMARY KEY,
        disabledAtMs INTEGER NOT NULL
      ) STRICT;

      -- Predictions by account; the rows without an answer are the queue. Sender's network and progress are set only until the answer, for
      -- turns, limits and clients across all machines.
      CREATE TABLE predictions (
        id TEXT PRIMARY KEY,
        accountId TEXT,
        idempotencyKey TEXT,
        apiTokenId TEXT,
        requestHash TEXT NOT NULL,
        createdAtMs INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('queued', 'done', 'failed')),
        fields TEXT NOT NULL,
        fileName TEXT,
        sha256 TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        uploadName TEXT,
        network TEXT,
        attempts INTEGER NOT NULL DEFAULT 0,
        progress TEXT,
        finishedAtMs INTEGER,
        problem TEXT,
        summary TEXT,
        searchText TEXT,
        answer BLOB,
        overview BLOB,
        revision INTEGER NOT NULL DEFAULT 0,
        deletedAtMs INTEGER
      ) STRICT;
      CREATE UNIQUE INDEX predictionsByKey ON predictions (accountId, idempotencyKey)
        WHERE idempotencyKey IS NOT NULL AND deletedAtMs IS NULL;
      CREATE INDEX predictionsByAccount ON predictions (accountId, createdAtMs, id);
      CREATE INDEX predictionsByHash ON predictions (sha256, accountId, createdAtMs, id);
      CREATE INDEX predictionsByUpload ON predictions (uploadName) WHERE uploadName IS NOT NULL;
      CREATE INDEX predictionsByDeletion ON predictions (deletedAtMs) WHERE deletedAtMs IS NOT NULL;
      CREATE INDEX predictionsRemoved ON predictions (accountId, deletedAtMs, id) WHERE deletedAtMs IS NOT NULL;
      -- Queued and failed predictions, of an account and of all, are few rows among many.
      CREATE INDEX predictionsQueued ON predictions (createdAtMs) WHERE state = 'queued';
      CREATE INDEX predictionsQueuedOfAccount ON predictions (accountId, createdAtMs) WHERE state = 'queued';
      CREATE INDEX predictionsFailed ON predictions (finishedAtMs) WHERE state = 'failed';
      CREATE INDEX predictionsFailedOfAccount ON predictions (accountId, finishedAtMs) WHERE state = 'failed';

      CREATE TABLE predictionEvidence (
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        part INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (predictionId, part)
      ) STRICT;

      -- The species that count for a prediction: not those that were rejected or corrected, but those they were corrected to. The last three
      -- columns are those of the prediction, so that an account's species are found without reading its predictions.
      CREATE TABLE predictionSpecies (
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        scientificName TEXT NOT NULL,
        commonName TEXT NOT NULL,
        confidence REAL NOT NULL,
        confirmed INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
        ownerId TEXT NOT NULL,
        sentAtMs INTEGER NOT NULL,
        recordedOn TEXT NOT NULL,
        PRIMARY KEY (predictionId, scientificName)
      ) STRICT;
      CREATE INDEX predictionSpeciesByOwner
        ON predictionSpecies (ownerId, scientificName, commonName, sentAtMs, recordedOn, confidence, confirmed, predictionId);
      CREATE INDEX predictionSpeciesConfirmed ON predictionSpecies (ownerId, predictionId) WHERE confirmed = 1;

      -- Birds of an account's life list that it imported.
      CREATE TABLE importedBirds (
        accountId TEXT NOT NULL,
        scientificName TEXT NOT NULL,
        foundOn TEXT NOT NULL,
        commonName TEXT NOT NULL,
        latitude REAL,
        longitude REAL,
        importedAtMs INTEGER NOT NULL,
        deletedAtMs INTEGER,
        PRIMARY KEY (accountId, scientificName, foundOn)
      ) STRICT;
      CREATE INDEX importedBirdsRemoved ON importedBirds (deletedAtMs) WHERE deletedAtMs IS NOT NULL;

      -- Everything that a person says about the birds of a prediction, in order, and birds that the answer does not mention.
      CREATE TABLE predictionReviews (
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        scientificName TEXT NOT NULL,
        commonName TEXT NOT NULL,
        confidence REAL NOT NULL,
        verdict TEXT NOT NULL CHECK (verdict IN ('confirmed', 'rejected', 'corrected', 'added', 'withdrawn')),
        toScientificName TEXT,
        toCommonName TEXT,
        bulk INTEGER NOT NULL CHECK (bulk IN (0, 1)),
        atMs INTEGER NOT NULL,
        PRIMARY KEY (predictionId, sequence)
      ) STRICT;

      -- First answers of predictions whose place, date, threshold or language was changed later.
      CREATE TABLE firstAnswers (
        predictionId TEXT PRIMARY KEY REFERENCES predictions (id) ON DELETE CASCADE,
        answer BLOB NOT NULL,
        fields TEXT NOT NULL,
        summary TEXT NOT NULL
      ) STRICT;

      -- Links that show a result to everyone who has them.
      CREATE TABLE predictionLinks (
        id TEXT PRIMARY KEY,
        tokenHash TEXT NOT NULL UNIQUE,
        accountId TEXT NOT NULL,
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        sound INTEGER NOT NULL CHECK (sound IN (0, 1)),
        createdAtMs INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX predictionLinksByAccount ON predictionLinks (accountId, createdAtMs);
      CREATE INDEX predictionLinksByPrediction ON predictionLinks (predictionId);

      -- Kept audio and when it expires. The audio itself is in files named by the id. On several machines one worker prepares it, and another
      -- takes over if that one dies.
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
        preparedAtMs INTEGER,
        preparingUntilMs INTEGER,
        UNIQUE (accountId, predictionId)
      ) STRICT;
      CREATE INDEX keptSoundsByRecordingEnd ON keptSounds (recordingUntilMs) WHERE recordingUntilMs IS NOT NULL;
      CREATE INDEX keptSoundsByMomentsEnd ON keptSounds (momentsUntilMs) WHERE momentsUntilMs IS NOT NULL;
      CREATE INDEX keptSoundsUnprepared ON keptSounds (createdAtMs) WHERE preparedAtMs IS NULL;

      -- When something last happened: LastTimesTable says what.
      CREATE TABLE lastTimes (
        what TEXT PRIMARY KEY,
        atMs INTEGER NOT NULL
      ) STRICT;

      -- Troubles of which the operator has had an email, with the worst level told; machine is empty for those of all machines.
      CREATE TABLE troubles (
        code TEXT NOT NULL,
        machine TEXT NOT NULL,
        level INTEGER NOT NULL CHECK (level >= 0),
        toldAtMs INTEGER NOT NULL,
        PRIMARY KEY (code, machine)
      ) STRICT;

      -- Resumable uploads, over several connections. Their bytes are in files named by the id.
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

      -- Settings that the operator makes on the page /setup, and the codes that open it.
      CREATE TABLE settings (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      ) STRICT;

      CREATE TABLE setupCodes (
        codeHash TEXT PRIMARY KEY,
        expiresAtMs INTEGER NOT NULL,
        wrongTries INTEGER NOT NULL DEFAULT 0
      ) STRICT;
    `,
    // Covers the filters of a history without reading the answers, which SQLite stores in the same pages. PostgreSQL stores them separately.
    onSqlite: `
      CREATE INDEX predictionsOfHistory
        ON predictions (
          accountId, createdAtMs, id, coalesce(fields ->> '$.date', date(createdAtMs / 1000, 'unixepoch')),
          (fields ->> '$.latitude'), (fields ->> '$.longitude'), searchText, state, deletedAtMs
        )
        WHERE state = 'done' AND deletedAtMs IS NULL;
    `,
    // Rate limits are written often and may be lost when PostgreSQL is killed, as those of a single machine are when it stops. Incoming
    // uploads fail anyway then.
    onPostgres: `
      CREATE UNLOGGED TABLE rateLimits (
        key TEXT PRIMARY KEY,
        points INTEGER NOT NULL,
        expire INTEGER
      );

      CREATE TABLE signingKeys (
        kid TEXT PRIMARY KEY,
        createdAtMs INTEGER NOT NULL,
        privateKey TEXT NOT NULL,
        certificate TEXT NOT NULL
      );

      CREATE TABLE sharedValues (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
      );

      CREATE TABLE machines (
        id TEXT PRIMARY KEY,
        places INTEGER NOT NULL,
        model TEXT,
        jobSeconds REAL NOT NULL,
        seenAtMs INTEGER NOT NULL
      );

      CREATE UNLOGGED TABLE arrivingUploads (
        id TEXT PRIMARY KEY,
        accountId TEXT NOT NULL,
        idempotencyKey TEXT,
        apiTokenId TEXT,
        createdAtMs INTEGER NOT NULL,
        seenAtMs INTEGER NOT NULL
      );
      CREATE INDEX arrivingUploadsByAccount ON arrivingUploads (accountId);
    `,
  },
];
