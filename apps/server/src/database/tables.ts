import type { BirdVerdict, KeepAudio } from '@chiffchaff/contract';
import type { Generated } from 'kysely';

/**
 * All tables, for kysely. A new table needs its interface here and a migration.
 *
 * Names of times end in their unit (`Ms`, `Seconds` since 1970); booleans are 0 or 1, because SQLite has no others.
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
  importedBirds: ImportedBirdsTable;
  predictionReviews: PredictionReviewsTable;
  predictionLinks: PredictionLinksTable;
  firstAnswers: FirstAnswersTable;
  keptSounds: KeptSoundsTable;
  accountSettings: AccountSettingsTable;
  resumableUploads: ResumableUploadsTable;
  settings: SettingsTable;
  setupCodes: SetupCodesTable;
  lastTimes: LastTimesTable;
  troubles: TroublesTable;
  /** The tables below exist on PostgreSQL only, for several machines. */
  rateLimits: RateLimitsTable;
  signingKeys: SigningKeysTable;
  sharedValues: SharedValuesTable;
  machines: MachinesTable;
  arrivingUploads: ArrivingUploadsTable;
}

/** 0 is no, 1 is yes. */
export type Flag = 0 | 1;

export interface AccountsTable {
  /** 28 letters and digits, unless an operator chose another id */
  id: string;
  /** lower case; unique */
  email: string;
  emailVerified: Flag;
  /** argon2id with its parameters, in PHC format */
  passwordHash: string;
  passwordUpdatedAtMs: number;
  displayName: string | null;
  photoUrl: string | null;
  disabled: Flag;
  /** custom claims from an operator, as JSON */
  customAttributes: string | null;
  createdAtMs: number;
  lastLoginAtMs: number;
  lastRefreshAtMs: number | null;
  /** Sign-ins before this time are no longer valid. */
  validSinceSeconds: number;
}

export type SessionEndReason =
  | 'signedOut'
  | 'passwordChanged'
  | 'emailChanged'
  | 'accountDeleted'
  | 'revoked'
  | 'disabled'
  | 'idle';

/** One sign-in on one device. Ended sessions are kept for a while, so that their tokens get the right error. */
export interface SessionsTable {
  id: string;
  /** null once the account is deleted */
  accountId: string | null;
  /** SHA-256 of the refresh token, which itself is never stored */
  refreshTokenHash: string;
  /** time of the sign-in */
  authTimeSeconds: number;
  createdAtMs: number;
  lastUsedAtMs: number;
  userAgent: string | null;
  endedAtMs: number | null;
  endReason: SessionEndReason | null;
}

export type OneTimeCodeType = 'PASSWORD_RESET' | 'VERIFY_EMAIL' | 'VERIFY_AND_CHANGE_EMAIL' | 'RECOVER_EMAIL';

export interface OneTimeCodesTable {
  /** SHA-256 of the code, which itself is not stored */
  codeHash: string;
  accountId: string;
  requestType: OneTimeCodeType;
  /** the account's address when the code was created; for RECOVER_EMAIL, the one to go back to */
  email: string;
  /** for VERIFY_AND_CHANGE_EMAIL, the address to change to; for RECOVER_EMAIL, the one to give up */
  newEmail: string | null;
  createdAtMs: number;
  expiresAtMs: number;
}

/** Invitations from an operator to create an account. */
export interface InvitationsTable {
  /** SHA-256 of the code, which itself is not stored */
  codeHash: string;
  /** the invited address, in lower case */
  email: string;
  createdAtMs: number;
  expiresAtMs: number;
  usedAtMs: number | null;
  /** the account that was created with it */
  accountId: string | null;
}

/** A secret with which programs act for an account. Exists in every identity mode, hence no foreign key to `accounts`. */
export interface ApiTokensTable {
  id: string;
  accountId: string;
  /** SHA-256 of the token, which itself is not stored */
  tokenHash: string;
  name: string;
  mayRead: Flag;
  mayPredict: Flag;
  createdAtMs: number;
  /** null if never */
  expiresAtMs: number | null;
  /** accurate to the hour; null before the first use */
  lastUsedAtMs: number | null;
}

/** Exists in every identity mode, hence no foreign key to `accounts`. */
export interface TermsAcceptancesTable {
  accountId: string;
  version: string;
  acceptedAtMs: number;
}

/** Deleted accounts whose other data (predictions, kept audio) may not be deleted completely yet. */
export interface AccountDeletionsTable {
  accountId: string;
  deletedAtMs: number;
}

/** Disabled accounts whose sessions, streams, uploads or jobs may not have ended yet. */
export interface AccountEndingsTable {
  accountId: string;
  disabledAtMs: number;
}

export type PredictionState = 'queued' | 'done' | 'failed';

/** A recording that has fully arrived: first a job in the queue, then an answer. */
export interface PredictionsTable {
  id: string;
  /** null without a sign-in; such a row is deleted once it is answered */
  accountId: string | null;
  /** null when the job ends with the connection that requested it */
  idempotencyKey: string | null;
  /** the API token that it was sent with; null if it was sent with a session or without a sign-in */
  apiTokenId: Generated<string | null>;
  /** SHA-256 of recording, file name and fields; detects a key that is reused for another request */
  requestHash: string;
  createdAtMs: number;
  state: PredictionState;
  /** the parsed fields of the form, with conditions that were changed later, as JSON */
  fields: string;
  fileName: string | null;
  sha256: string;
  bytes: number;
  /** name in the upload folder; null once no file is left there */
  uploadName: string | null;
  /** network of the sender, while it is queued; else null */
  network: Generated<string | null>;
  /** deaths of the analysis process that this job certainly caused */
  attempts: number;
  /** progress of the analysis as JSON, if other machines may ask for it; else null */
  progress: Generated<string | null>;
  finishedAtMs: number | null;
  /** code and details as JSON, if it failed */
  problem: string | null;
  /** data for lists as JSON, once it is done */
  summary: string | null;
  /** folded names of species and file, for searching */
  searchText: string | null;
  /** the prediction as deflated JSON, once it is done */
  answer: Uint8Array | null;
  /** levels of the whole recording; null if it is short, or nothing of its audio was to be kept */
  overview: Generated<Uint8Array | null>;
  /** how often the answer was replaced by one under other conditions */
  revision: Generated<number>;
  /** when it was deleted; it can be restored for a while */
  deletedAtMs: number | null;
}

/** Deflated evidence of a prediction, in parts that are read and deleted one at a time. */
export interface PredictionEvidenceTable {
  predictionId: string;
  part: number;
  bytes: Uint8Array;
}

/** The species of a prediction: those that its answer names, after the owner's reviews. */
export interface PredictionSpeciesTable {
  predictionId: string;
  scientificName: string;
  commonName: string;
  /** 0 if only a review names it */
  confidence: number;
  /** The owner has confirmed or added it. */
  confirmed: Generated<Flag>;
  /** account of the prediction */
  ownerId: string;
  /** when the prediction was created */
  sentAtMs: number;
  /** day of the recording, see `Expressions.recordedOn` */
  recordedOn: string;
}

/** A bird that an account imported into its life list. */
export interface ImportedBirdsTable {
  accountId: string;
  /** as in the model */
  scientificName: string;
  /** `2026-05-01` */
  foundOn: string;
  commonName: string;
  latitude: number | null;
  longitude: number | null;
  importedAtMs: number;
  /** when it was deleted with all predictions; it can be restored for a while */
  deletedAtMs: Generated<number | null>;
}

/** What the owner says about a species in a prediction, in order. Rows are never changed: the latest of a species counts. */
export interface PredictionReviewsTable {
  predictionId: string;
  /** from 1 */
  sequence: number;
  scientificName: string;
  /** as in the answer */
  commonName: string;
  /** the highest in the answer; 0 if it does not mention the species */
  confidence: number;
  verdict: BirdVerdict | 'withdrawn';
  /** null unless it was corrected to another */
  toScientificName: string | null;
  /** in the language of the answer */
  toCommonName: string | null;
  /** confirmed together with others */
  bulk: Flag;
  atMs: number;
}

/** A link that shows a result to everyone who has it. */
export interface PredictionLinksTable {
  /** random; identifies the link to its owner */
  id: string;
  /** SHA-256 of the token in its URL; the token itself is not stored */
  tokenHash: string;
  accountId: string;
  predictionId: string;
  /** Whether visitors may hear the audio. */
  sound: Flag;
  createdAtMs: number;
}

/** The first answer of a prediction whose conditions were changed later, with its other columns; `predictions` has the newest. */
export interface FirstAnswersTable {
  predictionId: string;
  answer: Uint8Array;
  fields: string;
  summary: string;
}

/** Kept audio of one recording. */
export interface KeptSoundsTable {
  /** random; names the folder of its files */
  id: string;
  accountId: string;
  predictionId: string;
  createdAtMs: number;
  /** when the whole recording expires; null if only excerpts are kept */
  recordingUntilMs: number | null;
  /** when the excerpts expire; null if there are none */
  momentsUntilMs: number | null;
  /** the excerpts as JSON, even if they are not kept */
  moments: string;
  durationSeconds: number;
  channels: number;
  /** media type, if the recording is kept as it was sent; null if a copy is made for playback */
  asSentType: string | null;
  /** when all wanted parts existed; null before, and after something has ended */
  preparedAtMs: number | null;
  /** in a bucket: end of the lease of the worker that is preparing it */
  preparingUntilMs: number | null;
}

export interface AccountSettingsTable {
  accountId: string;
  keepAudio: KeepAudio;
}

/** A resumable upload. The size of its file tells how much has arrived. */
export interface ResumableUploadsTable {
  /** random; names its file */
  id: string;
  accountId: string;
  createdAtMs: number;
  /** size of the whole recording, as stated by the sender */
  bytes: number;
  /** what the sender stated about it, as JSON */
  metadata: string;
  /** of the whole recording, once a prediction has asked for it */
  sha256: string | null;
  /** when a prediction took it over: its file is deleted, and only the same request may name it again */
  usedAtMs: number | null;
}

/** Settings made by the operator; never secrets. */
export interface SettingsTable {
  name: string;
  /** in its written form; empty if it is not set */
  value: string;
}

/** Codes that open the page `/setup`. */
export interface SetupCodesTable {
  /** SHA-256 of the code; the code itself is only on the operator's terminal */
  codeHash: string;
  expiresAtMs: number;
  /** wrong codes entered while this one was valid, on all machines */
  wrongTries: Generated<number>;
}

/** When something last happened, by the clock of the machine that did it. */
export interface LastTimesTable {
  /**
   * `latest`: the highest time at which a server has run. `copied`, only in a backup: when it was made; once a server has started with it,
   * `restored`
   */
  what: 'sweep' | 'latest' | 'backup' | 'copied' | 'restored';
  atMs: number;
}

/** A trouble of which the operator has had an email. */
export interface TroublesTable {
  code: string;
  /** host name; empty for a trouble that is not of one machine */
  machine: string;
  /** how bad the latest email said it is; 0: it is over */
  level: number;
  /** when the operator was last told that it is bad */
  toldAtMs: number;
}

/** Written by rate-limiter-flexible. */
export interface RateLimitsTable {
  /** hash of a limiter's name and the key it counts */
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

/** Values that all machines share, created by the first of them. */
export interface SharedValuesTable {
  name: string;
  value: string;
}

/** A live process with this database on PostgreSQL. */
export interface MachinesTable {
  id: string;
  /** recordings that it analyses concurrently; none on a web machine */
  places: number;
  /** SHA-256; null while none is loaded */
  model: string | null;
  /** how long one recording takes */
  jobSeconds: number;
  /** by PostgreSQL's clock */
  seenAtMs: number;
}

/** An incoming upload on one of several machines. */
export interface ArrivingUploadsTable {
  /** the id that the prediction will have */
  id: string;
  accountId: string;
  idempotencyKey: string | null;
  apiTokenId: string | null;
  createdAtMs: number;
  /** by PostgreSQL's clock */
  seenAtMs: number;
}
