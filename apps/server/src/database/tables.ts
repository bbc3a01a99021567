import type { CorrectionKind, KeepAudio } from '@chiffchaff/contract';
import type { Generated } from 'kysely';

/**
 * Every table, as kysely knows it. A new table adds its interface here and a migration.
 *
 * Times end in their unit (`Ms`, `Seconds` since 1970); truth values are 0 or 1, as SQLite has no others.
 */
export interface Tables {
  accounts: AccountsTable;
  sessions: SessionsTable;
  oneTimeCodes: OneTimeCodesTable;
  invitations: InvitationsTable;
  apiTokens: ApiTokensTable;
  termsAcceptances: TermsAcceptancesTable;
  accountDeletions: AccountDeletionsTable;
  accountEndings: AccountEndingsTable;
  predictions: PredictionsTable;
  predictionEvidence: PredictionEvidenceTable;
  predictionSpecies: PredictionSpeciesTable;
  predictionCorrections: PredictionCorrectionsTable;
  predictionLinks: PredictionLinksTable;
  keptSounds: KeptSoundsTable;
  accountSettings: AccountSettingsTable;
  resumableUploads: ResumableUploadsTable;
  settings: SettingsTable;
  setupCodes: SetupCodesTable;
  /** The ones below are on PostgreSQL only, for several machines. */
  rateLimits: RateLimitsTable;
  signingKeys: SigningKeysTable;
  sharedValues: SharedValuesTable;
  workers: WorkersTable;
  arrivingUploads: ArrivingUploadsTable;
}

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
  | 'disabled'
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

/** Invitations of an operator to create an account. */
export interface InvitationsTable {
  /** SHA-256 of the code, which is stored nowhere */
  codeHash: string;
  /** whom it is for, in lower case */
  email: string;
  createdAtMs: number;
  expiresAtMs: number;
  usedAtMs: number | null;
  /** of the account that was created with it */
  accountId: string | null;
}

/** A secret by which programs act for an account. Kept by account id in every identity mode, hence without a reference to `accounts`. */
export interface ApiTokensTable {
  id: string;
  accountId: string;
  /** SHA-256 of the token, which is stored nowhere */
  tokenHash: string;
  name: string;
  mayRead: Flag;
  mayPredict: Flag;
  createdAtMs: number;
  /** null: never */
  expiresAtMs: number | null;
  /** to the hour; null: not yet */
  lastUsedAtMs: number | null;
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

/** Accounts that were disabled while something of theirs may still go on: sessions, streams, uploads, jobs. */
export interface AccountEndingsTable {
  accountId: string;
  disabledAtMs: number;
}

export type PredictionState = 'queued' | 'done' | 'failed';

/** One recording that was accepted whole: first a job of the queue, then an answer. */
export interface PredictionsTable {
  id: string;
  /** null without a sign-in; such a row goes when it is answered */
  accountId: string | null;
  idempotencyKey: string | null;
  /** SHA-256 over recording, file name and fields: tells whether a key is used for something else */
  requestHash: string;
  createdAtMs: number;
  state: PredictionState;
  /** JSON of the form's fields, as they were understood */
  fields: string;
  fileName: string | null;
  sha256: string;
  bytes: number;
  /** path below the upload folder; null when nothing is left there */
  uploadName: string | null;
  /** no longer used */
  receiver: string;
  /** times that the analysis process died of it, as far as that is certain */
  attempts: number;
  /** JSON of how far its worker is, where another machine may ask; else null */
  progress: Generated<string | null>;
  finishedAtMs: number | null;
  /** JSON of code and details, when it failed */
  problem: string | null;
  /** JSON of what a list shows, when it is done */
  summary: string | null;
  /** folded names of species and file, for searching */
  searchText: string | null;
  /** the prediction as deflated JSON, when it is done */
  answer: Uint8Array | null;
  /** It can be restored for a while. */
  deletedAtMs: number | null;
  /** of its sender, while it is queued on PostgreSQL; else null */
  network: Generated<string | null>;
}

/** Deflated evidence of an answer, in parts that are each written at once. */
export interface PredictionEvidenceTable {
  predictionId: string;
  part: number;
  bytes: Uint8Array;
}

/** Species that count for a recording: those that its answer names, as its owner has corrected them. */
export interface PredictionSpeciesTable {
  predictionId: string;
  scientificName: string;
  commonName: string;
  /** 0 when only a correction names it */
  confidence: number;
  /** Its owner says that it was there. */
  confirmed: Generated<Flag>;
  /** account of the prediction; null until it is filled in, as are the others of these */
  ownerId: Generated<string | null>;
  /** when the prediction was created */
  sentAtMs: Generated<number | null>;
  /** day of the recording, as `Expressions.recordedOn` has it */
  recordedOn: Generated<string | null>;
}

/** What the owner of a prediction says about a bird that it mentions. */
export interface PredictionCorrectionsTable {
  predictionId: string;
  scientificName: string;
  /** as the answer gives it */
  commonName: string;
  /** the highest in the answer */
  confidence: number;
  kind: CorrectionKind;
  correctedTo: string | null;
  /** in the language of the answer */
  correctedToCommonName: string | null;
  atMs: number;
}

/** A result that everyone who has the link may see. */
export interface PredictionLinksTable {
  /** random; names it to its owner */
  id: string;
  /** SHA-256 of the token in its address; the token itself is stored nowhere */
  tokenHash: string;
  accountId: string;
  predictionId: string;
  /** Its owner wants sound to be heard. */
  sound: Flag;
  /** country or area of the recording's place */
  region: string | null;
  createdAtMs: number;
}

/** Sound that is kept of one recording. */
export interface KeptSoundsTable {
  /** random; names the folder of its files */
  id: string;
  accountId: string;
  predictionId: string;
  createdAtMs: number;
  /** when all of it goes; null when only moments are kept */
  recordingUntilMs: number | null;
  /** when the moments go; null when there are none */
  momentsUntilMs: number | null;
  /** JSON of the moments, also when they are not kept */
  moments: string;
  durationSeconds: number;
  channels: number;
  /** media type of the recording, when it is kept as it was sent; null when it is copied */
  asSentType: string | null;
  /** when all that is wanted was there; null before, after something ended, and in folders of versions that noted it in a bucket only */
  preparedAtMs: number | null;
  /** in a bucket: until then a worker that has taken it in hand is believed to be at it */
  preparingUntilMs: number | null;
}

export interface AccountSettingsTable {
  accountId: string;
  keepAudio: KeepAudio;
}

/** A recording that arrives in pieces. How much of it is there, its file says. */
export interface ResumableUploadsTable {
  /** random; names its file */
  id: string;
  accountId: string;
  createdAtMs: number;
  /** of the whole recording, as its sender stated it */
  bytes: number;
  /** JSON of what its sender said about it */
  metadata: string;
  /** of the whole recording, once it has been asked about */
  sha256: string | null;
  /** when a prediction has taken it over: its file is gone, and only the same request may name it again */
  usedAtMs: number | null;
}

/** What the operator has set; nothing secret. */
export interface SettingsTable {
  name: string;
  /** JSON */
  value: string;
}

/** Codes that open the page `/setup`. */
export interface SetupCodesTable {
  /** SHA-256 of the code; the code itself is only on the operator's terminal */
  codeHash: string;
  expiresAtMs: number;
  /** codes that were wrong while this one was valid, on all machines */
  wrongTries: Generated<number>;
}

/** As rate-limiter-flexible writes it. */
export interface RateLimitsTable {
  /** hash of a limiter's name and of whom it counts */
  key: string;
  points: number;
  /** milliseconds since 1970 */
  expire: number | null;
}

export interface SigningKeysTable {
  kid: string;
  createdAtMs: number;
  /** PEM */
  privateKey: string;
  /** PEM */
  certificate: string;
}

/** What all machines have to know, made by the first of them. */
export interface SharedValuesTable {
  name: string;
  value: string;
}

/** A process that analyses recordings, while it lives. */
export interface WorkersTable {
  id: string;
  /** recordings that it analyses at once */
  places: number;
  /** how long one takes */
  jobSeconds: number;
  /** by PostgreSQL's clock */
  seenAtMs: number;
}

/** A recording that is being received by one of several machines. */
export interface ArrivingUploadsTable {
  /** the id that the prediction will have */
  id: string;
  accountId: string;
  idempotencyKey: string | null;
  createdAtMs: number;
  /** by PostgreSQL's clock */
  seenAtMs: number;
}
