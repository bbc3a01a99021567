import type { Migration } from '../migrate.ts';

/** Sound that is kept of recordings, until when, and what accounts want kept. The sound itself lies in files named by `id`. */
export const keptAudio: Migration = {
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
};
