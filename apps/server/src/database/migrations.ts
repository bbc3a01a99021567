/**
 * One forward step of the schema. Steps only add, so that during a rolling update a program of the previous step keeps working beside one
 * of this step.
 */
export interface Migration {
  readonly name: string;
  /** in SQLite's dialect; `postgres/postgres-schema.ts` translates it for PostgreSQL */
  readonly sql: string;
  /** Only SQLite needs it, to correct data of versions that had no PostgreSQL, or for an index. */
  readonly onlySqlite?: true;
  /** Only PostgreSQL needs it, for state that several machines share and a single machine has in memory. */
  readonly onlyPostgres?: true;
}

/** All steps of the schema, oldest first. Never edit a published step: add a further one. */
export const migrations: readonly Migration[] = [
  // Accounts, their sessions and one-time codes, and what every identity mode stores about accounts.
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
  // Predictions by account; the rows without an answer are the queue.
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
  // Kept audio, when it expires, and what accounts choose to keep. The audio itself is in files named by `id`.
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
  // Resumable uploads, over several connections. Their bytes are in files named by `id`.
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
  // Before this step, the page always requested a copy for playback, whatever the account had chosen to keep. Such copies expire now (the
  // next sweep deletes their files), and queued jobs keep only what was chosen. Every such copy lived for half an hour; a recording that
  // was chosen to be kept lives for at least a day.
  {
    name: '0005-listening-copies',
    onlySqlite: true,
    sql: `
      UPDATE keptSounds SET recordingUntilMs = createdAtMs WHERE recordingUntilMs <= createdAtMs + 1800000;
      UPDATE predictions SET fields = json_remove(fields, '$.listeningCopy') WHERE uploadName IS NOT NULL;
    `,
  },
  // Refresh tokens that are replaced on use. Existing sessions keep their first token until then.
  {
    name: '0006-refresh-rotation',
    sql: `
      ALTER TABLE sessions ADD COLUMN currentTokenHash TEXT;
      ALTER TABLE sessions ADD COLUMN previousTokenHash TEXT;
      ALTER TABLE sessions ADD COLUMN successorKey TEXT;
      ALTER TABLE sessions ADD COLUMN rotatedAtMs INTEGER;
    `,
  },
  // One server per data folder: its process knows the work in progress, and in the database a job is queued until it has an answer.
  // `attempts` has another meaning from now on. `receiver`, `leaseHolder` and `leaseUntilMs` are unused; dropping them would rewrite every
  // answer.
  {
    name: '0007-one-server',
    sql: `
      UPDATE predictions SET state = 'queued', attempts = 0, leaseHolder = NULL, leaseUntilMs = NULL WHERE state IN ('queued', 'listening');
      DROP INDEX predictionsInWork;
      CREATE INDEX predictionsQueued ON predictions (createdAtMs) WHERE state = 'queued';
    `,
  },
  // The sender's network, for fair order and limits across all machines. Set while the recording is queued or analysed.
  {
    name: '0008-network-of-a-job',
    sql: 'ALTER TABLE predictions ADD COLUMN network TEXT;',
  },
  // State that several machines share. Rate limits are written often and may be lost when PostgreSQL is killed, as those of a single
  // machine are when it stops.
  {
    name: '0009-several-machines',
    onlyPostgres: true,
    sql: `
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
      CREATE TABLE workers (
        id TEXT PRIMARY KEY,
        places INTEGER NOT NULL,
        jobSeconds REAL NOT NULL,
        seenAtMs INTEGER NOT NULL
      );
    `,
  },
  // Progress of an analysis, for clients of another machine than the one that runs it.
  {
    name: '0010-progress',
    sql: 'ALTER TABLE predictions ADD COLUMN progress TEXT;',
  },
  // Incoming uploads, for clients of other machines. If PostgreSQL is killed, these uploads fail anyway.
  {
    name: '0011-arriving-uploads',
    onlyPostgres: true,
    sql: `
      CREATE UNLOGGED TABLE arrivingUploads (
        id TEXT PRIMARY KEY,
        accountId TEXT NOT NULL,
        idempotencyKey TEXT,
        createdAtMs INTEGER NOT NULL,
        seenAtMs INTEGER NOT NULL
      );
      CREATE INDEX arrivingUploadsByAccount ON arrivingUploads (accountId);
    `,
  },
  // Queued and failed predictions, of an account and of all: few rows among many.
  {
    name: '0012-few-among-many',
    sql: `
      CREATE INDEX predictionsQueuedOfAccount ON predictions (accountId, createdAtMs) WHERE state = 'queued';
      CREATE INDEX predictionsFailedOfAccount ON predictions (accountId, finishedAtMs) WHERE state = 'failed';
      CREATE INDEX predictionsFailed ON predictions (finishedAtMs) WHERE state = 'failed';
    `,
  },
  // Kept audio on several machines: one worker prepares it, and another takes over if that one dies.
  {
    name: '0013-prepared-sounds',
    sql: `
      ALTER TABLE keptSounds ADD COLUMN preparedAtMs INTEGER;
      ALTER TABLE keptSounds ADD COLUMN preparingUntilMs INTEGER;
      CREATE INDEX keptSoundsUnprepared ON keptSounds (createdAtMs) WHERE preparedAtMs IS NULL;
    `,
  },
  // Corrections. `predictionSpecies` has the species that count for a prediction: not those that were rejected or corrected, but those they
  // were corrected to. `confirmed` marks those that the owner has confirmed.
  //
  // The further columns give an account's species without reading its predictions; `predictionsByHash` finds recordings that it sent twice.
  // Earlier rows, and those of a program of the previous step, are filled in gradually: `prediction/stored/species-rows.ts`.
  {
    name: '0014-corrections-and-history',
    sql: `
      CREATE TABLE predictionCorrections (
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        scientificName TEXT NOT NULL,
        commonName TEXT NOT NULL,
        confidence REAL NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('confirmed', 'rejected', 'corrected')),
        correctedTo TEXT,
        correctedToCommonName TEXT,
        atMs INTEGER NOT NULL,
        PRIMARY KEY (predictionId, scientificName)
      ) STRICT;
      ALTER TABLE predictionSpecies ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1));
      ALTER TABLE predictionSpecies ADD COLUMN ownerId TEXT;
      ALTER TABLE predictionSpecies ADD COLUMN sentAtMs INTEGER;
      ALTER TABLE predictionSpecies ADD COLUMN recordedOn TEXT;
      CREATE INDEX predictionSpeciesByOwner
        ON predictionSpecies (ownerId, scientificName, commonName, sentAtMs, recordedOn, confidence, confirmed, predictionId);
      CREATE INDEX predictionSpeciesConfirmed ON predictionSpecies (ownerId, predictionId) WHERE confirmed = 1;
      CREATE INDEX predictionsRemoved ON predictions (accountId, deletedAtMs, id) WHERE deletedAtMs IS NOT NULL;
      CREATE INDEX predictionsByHash ON predictions (sha256, accountId, createdAtMs, id);
    `,
  },
  // Covers the filters of a history without reading the answers, which SQLite stores in the same pages. PostgreSQL stores them separately.
  {
    name: '0015-narrow-history',
    onlySqlite: true,
    sql: `
      CREATE INDEX predictionsOfHistory
        ON predictions (
          accountId, createdAtMs, id, coalesce(fields ->> '$.date', strftime('%F', createdAtMs / 1000, 'unixepoch')),
          (fields ->> '$.latitude'), (fields ->> '$.longitude'), searchText, state, deletedAtMs
        )
        WHERE state = 'done' AND deletedAtMs IS NULL;
    `,
  },
  // Settings that the operator makes on the page `/setup`, and the codes that open it.
  {
    name: '0016-settings',
    sql: `
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
  },
  // Disabled accounts whose sessions and work must end, at once or at the next start.
  {
    name: '0017-disabled-accounts',
    sql: `
      CREATE TABLE accountEndings (
        accountId TEXT PRIMARY KEY,
        disabledAtMs INTEGER NOT NULL
      ) STRICT;
    `,
  },
  // API tokens, stored by account id in every identity mode.
  {
    name: '0018-api-tokens',
    sql: `
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
    `,
  },
  // Links that show a result to everyone who has them.
  {
    name: '0019-prediction-links',
    sql: `
      CREATE TABLE predictionLinks (
        id TEXT PRIMARY KEY,
        tokenHash TEXT NOT NULL UNIQUE,
        accountId TEXT NOT NULL,
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        sound INTEGER NOT NULL CHECK (sound IN (0, 1)),
        region TEXT,
        createdAtMs INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX predictionLinksByAccount ON predictionLinks (accountId, createdAtMs);
      CREATE INDEX predictionLinksByPrediction ON predictionLinks (predictionId);
    `,
  },
  // Invitations from an operator to create an account.
  {
    name: '0020-invitations',
    sql: `
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
    `,
  },
  // First answers of predictions whose place, date, threshold or language was changed later.
  {
    name: '0021-first-answers',
    sql: `
      CREATE TABLE firstAnswers (
        predictionId TEXT PRIMARY KEY REFERENCES predictions (id) ON DELETE CASCADE,
        answer BLOB NOT NULL,
        fields TEXT NOT NULL,
        summary TEXT NOT NULL
      ) STRICT;
    `,
  },
  // Everything that a person says about the birds of a prediction, in order, and birds that the answer does not mention. A program of the
  // previous step reads its table as a view, and its changes are refused: with DISTINCT, PostgreSQL cannot pass them on.
  {
    name: '0022-reviews',
    sql: `
      CREATE TABLE predictionReviews (
        predictionId TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        scientificName TEXT NOT NULL,
        commonName TEXT NOT NULL,
        confidence REAL NOT NULL,
        verdict TEXT NOT NULL CHECK (verdict IN ('confirmed', 'rejected', 'corrected', 'added', 'withdrawn')),
        toScientificName TEXT,
        toCommonName TEXT,
        atMs INTEGER NOT NULL,
        PRIMARY KEY (predictionId, sequence)
      ) STRICT;
      INSERT INTO predictionReviews
        SELECT predictionId, row_number() OVER (PARTITION BY predictionId ORDER BY atMs, scientificName),
          scientificName, commonName, confidence, kind, correctedTo, correctedToCommonName, atMs
        FROM predictionCorrections;
      DROP TABLE predictionCorrections;
      CREATE VIEW predictionCorrections AS
        SELECT DISTINCT predictionId, scientificName, commonName, confidence,
          verdict AS kind, toScientificName AS correctedTo, toCommonName AS correctedToCommonName, atMs
        FROM predictionReviews
        WHERE verdict IN ('confirmed', 'rejected', 'corrected') AND sequence IN (
          SELECT max(latest.sequence) FROM predictionReviews AS latest
          WHERE latest.predictionId = predictionReviews.predictionId GROUP BY latest.scientificName
        );
    `,
  },
  // Short recordings can be kept whole. A program of the previous step reads that choice as `moments`, which keeps less: `keepAudio` has
  // no new value, and the new column counts only beside `moments`.
  {
    name: '0023-short-recordings',
    sql: 'ALTER TABLE accountSettings ADD COLUMN keepShortWhole INTEGER NOT NULL DEFAULT 0 CHECK (keepShortWhole IN (0, 1));',
  },
];
