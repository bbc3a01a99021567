import type { Migration } from '../migrate.ts';

/** Accounts, their sessions and one-time codes, and what has to be remembered about them in every identity mode. */
export const accounts: Migration = {
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
};
