/**
 * The schema of the database, as steps that `sqlite/migrate.ts` and `postgres/migrate.ts` run when a server opens it. All SQL is in SQLite's
 * words; `postgres/migrate.ts` translates it.
 */
import { sharedTables, tables, unloggedTables } from './tables.ts';

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

/** Creates tables, of which each column is a name and its words. */
const create = (created: Readonly<Record<string, Readonly<Record<string, string>>>>, kind = 'TABLE'): string =>
  Object.entries(created)
    .map(
      ([name, columns]) =>
        `CREATE ${kind} ${name} (${Object.entries(columns)
          .map((column) => column.join(' '))
          .join(', ')}) STRICT;`,
    )
    .join('\n');

/** All steps of the schema, oldest first. Never edit a published step: add a further one. */
export const migrations: readonly Migration[] = [
  {
    name: '0001-initial',
    sql: `${create(tables)}
      CREATE INDEX sessionsByAccount ON sessions (accountId);
      CREATE INDEX sessionsByEnd ON sessions (endedAtMs) WHERE endedAtMs IS NOT NULL;
      CREATE INDEX oneTimeCodesByAccount ON oneTimeCodes (accountId);
      CREATE INDEX oneTimeCodesByExpiry ON oneTimeCodes (expiresAtMs);
      CREATE INDEX invitationsByEmail ON invitations (email);
      CREATE INDEX invitationsByAccount ON invitations (accountId) WHERE accountId IS NOT NULL;
      CREATE INDEX apiTokensByAccount ON apiTokens (accountId);
      CREATE INDEX apiTokensByExpiry ON apiTokens (expiresAtMs) WHERE expiresAtMs IS NOT NULL;
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
      CREATE INDEX predictionSpeciesByOwner
        ON predictionSpecies (ownerId, scientificName, commonName, sentAtMs, recordedOn, confidence, confirmed, predictionId);
      CREATE INDEX predictionSpeciesConfirmed ON predictionSpecies (ownerId, predictionId) WHERE confirmed = 1;
      CREATE INDEX importedBirdsRemoved ON importedBirds (deletedAtMs) WHERE deletedAtMs IS NOT NULL;
      CREATE INDEX predictionLinksByAccount ON predictionLinks (accountId, createdAtMs);
      CREATE INDEX predictionLinksByPrediction ON predictionLinks (predictionId);
      CREATE INDEX keptSoundsByRecordingEnd ON keptSounds (recordingUntilMs) WHERE recordingUntilMs IS NOT NULL;
      CREATE INDEX keptSoundsByMomentsEnd ON keptSounds (momentsUntilMs) WHERE momentsUntilMs IS NOT NULL;
      CREATE INDEX keptSoundsUnprepared ON keptSounds (createdAtMs) WHERE preparedAtMs IS NULL;
      CREATE INDEX resumableUploadsByAccount ON resumableUploads (accountId, createdAtMs);
      CREATE INDEX resumableUploadsByAge ON resumableUploads (createdAtMs);
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
    onPostgres: `${create(sharedTables)}${create(unloggedTables, 'UNLOGGED TABLE')}
      CREATE INDEX arrivingUploadsByAccount ON arrivingUploads (accountId);
    `,
  },
];
