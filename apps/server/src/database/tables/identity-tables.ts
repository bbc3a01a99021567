import type { Generated } from 'kysely';

/** 0 is no, 1 is yes. */
export type Flag = 0 | 1;

export interface AccountsTable {
  /** 28 letters and digits, never given out twice */
  id: string;
  /** lower case; unique */
  email: string;
  emailVerified: Flag;
  /** argon2id with its parameters, in the PHC form */
  passwordHash: string;
  passwordUpdatedAtMs: number;
  displayName: string | null;
  photoUrl: string | null;
  disabled: Flag;
  /** JSON of the custom claims that an operator gave */
  customAttributes: string | null;
  createdAtMs: number;
  lastLoginAtMs: number;
  lastRefreshAtMs: number | null;
  /** Sign-ins before this moment no longer count. */
  validSinceSeconds: number;
}

export type SessionEndReason =
  | 'signedOut'
  | 'passwordChanged'
  | 'emailChanged'
  | 'accountDeleted'
  | 'revoked'
  | 'idle'
  | 'tokenReused';

/** One sign-in on one device. Ended ones stay for a while, so that their tokens get the right answer. */
export interface SessionsTable {
  id: string;
  /** null once the account is gone */
  accountId: string | null;
  /** SHA-256 of the first refresh token, whose secret the later ones carry as their family's; no token itself is ever stored */
  refreshTokenHash: string;
  /** of the one that holds now; null: the first one does */
  currentTokenHash: Generated<string | null>;
  /** of the one before */
  previousTokenHash: Generated<string | null>;
  /** makes the current token out of the one before, which is not stored */
  successorKey: Generated<string | null>;
  rotatedAtMs: Generated<number | null>;
  /** when the password was given */
  authTimeSeconds: number;
  createdAtMs: number;
  lastUsedAtMs: number;
  userAgent: string | null;
  endedAtMs: number | null;
  endReason: SessionEndReason | null;
}

export type OneTimeCodeType = 'PASSWORD_RESET' | 'VERIFY_EMAIL' | 'VERIFY_AND_CHANGE_EMAIL' | 'RECOVER_EMAIL';

export interface OneTimeCodesTable {
  /** SHA-256 of the code; the code itself is only in the mail */
  codeHash: string;
  accountId: string;
  requestType: OneTimeCodeType;
  /** the account's address when the code was made; for RECOVER_EMAIL the one to go back to */
  email: string;
  newEmail: string | null;
  createdAtMs: number;
  expiresAtMs: number;
}

/** Kept by account id in every identity mode, hence without a reference to `accounts`. */
export interface TermsAcceptancesTable {
  accountId: string;
  version: string;
  acceptedAtMs: number;
}

/** Deletions whose consequences elsewhere (predictions, kept audio) are not finished yet. */
export interface AccountDeletionsTable {
  accountId: string;
  deletedAtMs: number;
}

export interface IdentityTables {
  accounts: AccountsTable;
  sessions: SessionsTable;
  oneTimeCodes: OneTimeCodesTable;
  termsAcceptances: TermsAcceptancesTable;
  accountDeletions: AccountDeletionsTable;
}
