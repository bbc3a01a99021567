/**
 * All tables: their columns in SQLite's words, as `migrations.ts` creates them, and the types of their rows for kysely, which are read from
 * those words. Once the first step is published, a column of a later step is not added here, but by its step and in `Refined`.
 *
 * Names of times end in their unit (`Ms`, `Seconds` since 1970); booleans are 0 or 1, because SQLite has no others.
 */
import type { Generated } from 'kysely';

export const tables = {
  accounts: {
    /** 28 letters and digits, unless an operator chose another id */
    id: 'TEXT PRIMARY KEY',
    /** lower case */
    email: 'TEXT NOT NULL UNIQUE',
    emailVerified: 'INTEGER NOT NULL DEFAULT 0 CHECK (emailVerified IN (0, 1))',
    /** argon2id with its parameters, in PHC format */
    passwordHash: 'TEXT NOT NULL',
    passwordUpdatedAtMs: 'INTEGER NOT NULL',
    displayName: 'TEXT',
    photoUrl: 'TEXT',
    disabled: 'INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))',
    /** custom claims from an operator, as JSON */
    customAttributes: 'TEXT',
    createdAtMs: 'INTEGER NOT NULL',
    lastLoginAtMs: 'INTEGER NOT NULL',
    lastRefreshAtMs: 'INTEGER',
    /** Sign-ins before this time are no longer valid. */
    validSinceSeconds: 'INTEGER NOT NULL',
  },
  /** One sign-in on one device. Ended sessions are kept for a while, so that their tokens get the right error. */
  sessions: {
    id: 'TEXT PRIMARY KEY',
    /** null once the account is deleted */
    accountId: 'TEXT REFERENCES accounts (id) ON DELETE SET NULL',
    /** SHA-256 of the refresh token, which itself is never stored */
    refreshTokenHash: 'TEXT NOT NULL UNIQUE',
    /** time of the sign-in */
    authTimeSeconds: 'INTEGER NOT NULL',
    createdAtMs: 'INTEGER NOT NULL',
    lastUsedAtMs: 'INTEGER NOT NULL',
    userAgent: 'TEXT',
    endedAtMs: 'INTEGER',
    endReason: 'TEXT',
  },
  oneTimeCodes: {
    /** SHA-256 of the code, which itself is not stored */
    codeHash: 'TEXT PRIMARY KEY',
    accountId: 'TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE',
    requestType: 'TEXT NOT NULL',
    /** the account's address when the code was created; for RECOVER_EMAIL, the one to go back to */
    email: 'TEXT NOT NULL',
    /** for VERIFY_AND_CHANGE_EMAIL, the address to change to; for RECOVER_EMAIL, the one to give up */
    newEmail: 'TEXT',
    createdAtMs: 'INTEGER NOT NULL',
    expiresAtMs: 'INTEGER NOT NULL',
  },
  /** Invitations from an operator to create an account. */
  invitations: {
    /** SHA-256 of the code, which itself is not stored */
    codeHash: 'TEXT PRIMARY KEY',
    /** the invited address, in lower case */
    email: 'TEXT NOT NULL',
    createdAtMs: 'INTEGER NOT NULL',
    expiresAtMs: 'INTEGER NOT NULL',
    usedAtMs: 'INTEGER',
    /** the account that was created with it */
    accountId: 'TEXT',
  },
  /** A secret with which programs act for an account. Exists in every identity mode, hence no foreign key to `accounts`. */
  apiTokens: {
    id: 'TEXT PRIMARY KEY',
    accountId: 'TEXT NOT NULL',
    /** SHA-256 of the token, which itself is not stored */
    tokenHash: 'TEXT NOT NULL UNIQUE',
    name: 'TEXT NOT NULL',
    mayRead: 'INTEGER NOT NULL CHECK (mayRead IN (0, 1))',
    mayPredict: 'INTEGER NOT NULL CHECK (mayPredict IN (0, 1))',
    createdAtMs: 'INTEGER NOT NULL',
    /** null if never */
    expiresAtMs: 'INTEGER',
    /** accurate to the hour; null before the first use */
    lastUsedAtMs: 'INTEGER',
  },
  /** Exists in every identity mode, hence no foreign key to `accounts`. */
  termsAcceptances: {
    accountId: 'TEXT NOT NULL',
    version: 'TEXT NOT NULL',
    acceptedAtMs: 'INTEGER NOT NULL',
    'PRIMARY KEY': '(accountId, version)',
  },
  /** Deleted accounts whose other data (predictions, kept audio) may not be deleted completely yet: it is at once, or at the next start. */
  accountDeletions: {
    accountId: 'TEXT PRIMARY KEY',
    deletedAtMs: 'INTEGER NOT NULL',
  },
  /** Disabled accounts whose sessions, streams, uploads or jobs may not have ended yet. */
  accountEndings: {
    accountId: 'TEXT PRIMARY KEY',
    disabledAtMs: 'INTEGER NOT NULL',
  },
  /** A recording that has fully arrived: first a job in the queue, then an answer. All machines read network and progress from here. */
  predictions: {
    id: 'TEXT PRIMARY KEY',
    /** null without a sign-in; such a row is deleted once it is answered */
    accountId: 'TEXT',
    /** null when the job ends with the connection that requested it */
    idempotencyKey: 'TEXT',
    /** the API token that it was sent with; null if it was sent with a session or without a sign-in */
    apiTokenId: 'TEXT',
    /** SHA-256 of recording, file name and fields; detects a key that is reused for another request */
    requestHash: 'TEXT NOT NULL',
    createdAtMs: 'INTEGER NOT NULL',
    state: "TEXT NOT NULL CHECK (state IN ('queued', 'done', 'failed'))",
    /** the parsed fields of the form, with conditions that were changed later, as JSON */
    fields: 'TEXT NOT NULL',
    fileName: 'TEXT',
    sha256: 'TEXT NOT NULL',
    bytes: 'INTEGER NOT NULL',
    /** name in the upload folder; null once no file is left there */
    uploadName: 'TEXT',
    /** network of the sender, while it is queued; else null */
    network: 'TEXT',
    /** deaths of the analysis process that this job certainly caused */
    attempts: 'INTEGER NOT NULL DEFAULT 0',
    /** progress of the analysis as JSON, if other machines may ask for it; else null */
    progress: 'TEXT',
    finishedAtMs: 'INTEGER',
    /** code and details as JSON, if it failed */
    problem: 'TEXT',
    /** data for lists as JSON, once it is done */
    summary: 'TEXT',
    /** folded names of species and file, for searching */
    searchText: 'TEXT',
    /** the prediction as deflated JSON, once it is done */
    answer: 'BLOB',
    /** levels of the whole recording; null if it is short, or nothing of its audio was to be kept */
    overview: 'BLOB',
    /** how often the answer was replaced by one under other conditions */
    revision: 'INTEGER NOT NULL DEFAULT 0',
    /** when it was deleted; it can be restored for a while */
    deletedAtMs: 'INTEGER',
  },
  /** Deflated evidence of a prediction, in parts that are read and deleted one at a time. */
  predictionEvidence: {
    predictionId: 'TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE',
    part: 'INTEGER NOT NULL',
    bytes: 'BLOB NOT NULL',
    'PRIMARY KEY': '(predictionId, part)',
  },
  /**
   * The species that count for a prediction: those that its answer names, after the owner's reviews. The last three columns are those of the
   * prediction, so that an account's species are found without reading its predictions.
   */
  predictionSpecies: {
    predictionId: 'TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE',
    scientificName: 'TEXT NOT NULL',
    commonName: 'TEXT NOT NULL',
    /** 0 if only a review names it */
    confidence: 'REAL NOT NULL',
    /** The owner has confirmed or added it. */
    confirmed: 'INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1))',
    /** account of the prediction */
    ownerId: 'TEXT NOT NULL',
    /** when the prediction was created */
    sentAtMs: 'INTEGER NOT NULL',
    /** day of the recording, see `Expressions.recordedOn` */
    recordedOn: 'TEXT NOT NULL',
    'PRIMARY KEY': '(predictionId, scientificName)',
  },
  /** A bird that an account imported into its life list. */
  importedBirds: {
    accountId: 'TEXT NOT NULL',
    /** as in the model */
    scientificName: 'TEXT NOT NULL',
    /** `2026-05-01` */
    foundOn: 'TEXT NOT NULL',
    commonName: 'TEXT NOT NULL',
    latitude: 'REAL',
    longitude: 'REAL',
    importedAtMs: 'INTEGER NOT NULL',
    /** when it was deleted with all predictions; it can be restored for a while */
    deletedAtMs: 'INTEGER',
    'PRIMARY KEY': '(accountId, scientificName, foundOn)',
  },
  /** What the owner says about a species in a prediction, in order. Rows are never changed: the latest of a species counts. */
  predictionReviews: {
    predictionId: 'TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE',
    /** from 1 */
    sequence: 'INTEGER NOT NULL',
    scientificName: 'TEXT NOT NULL',
    /** as in the answer */
    commonName: 'TEXT NOT NULL',
    /** the highest in the answer; 0 if it does not mention the species */
    confidence: 'REAL NOT NULL',
    verdict: "TEXT NOT NULL CHECK (verdict IN ('confirmed', 'rejected', 'corrected', 'added', 'withdrawn'))",
    /** null unless it was corrected to another */
    toScientificName: 'TEXT',
    /** in the language of the answer */
    toCommonName: 'TEXT',
    /** confirmed together with others */
    bulk: 'INTEGER NOT NULL CHECK (bulk IN (0, 1))',
    atMs: 'INTEGER NOT NULL',
    'PRIMARY KEY': '(predictionId, sequence)',
  },
  /** A link that shows a result to everyone who has it. */
  predictionLinks: {
    /** random; identifies the link to its owner */
    id: 'TEXT PRIMARY KEY',
    /** SHA-256 of the token in its URL; the token itself is not stored */
    tokenHash: 'TEXT NOT NULL UNIQUE',
    accountId: 'TEXT NOT NULL',
    predictionId: 'TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE',
    /** Whether visitors may hear the audio. */
    sound: 'INTEGER NOT NULL CHECK (sound IN (0, 1))',
    createdAtMs: 'INTEGER NOT NULL',
  },
  /** The first answer of a prediction whose conditions were changed later, with its other columns; `predictions` has the newest. */
  firstAnswers: {
    predictionId: 'TEXT PRIMARY KEY REFERENCES predictions (id) ON DELETE CASCADE',
    answer: 'BLOB NOT NULL',
    fields: 'TEXT NOT NULL',
    summary: 'TEXT NOT NULL',
  },
  /** Kept audio of one recording. */
  keptSounds: {
    /** random; names the folder of its files */
    id: 'TEXT PRIMARY KEY',
    accountId: 'TEXT NOT NULL',
    predictionId: 'TEXT NOT NULL',
    createdAtMs: 'INTEGER NOT NULL',
    /** when the whole recording expires; null if only excerpts are kept */
    recordingUntilMs: 'INTEGER',
    /** when the excerpts expire; null if there are none */
    momentsUntilMs: 'INTEGER',
    /** the excerpts as JSON, even if they are not kept */
    moments: 'TEXT NOT NULL',
    durationSeconds: 'REAL NOT NULL',
    channels: 'INTEGER NOT NULL',
    /** media type, if the recording is kept as it was sent; null if a copy is made for playback */
    asSentType: 'TEXT',
    /** when all wanted parts existed; null before, and after something has ended */
    preparedAtMs: 'INTEGER',
    /** in a bucket: end of the lease of the worker that is preparing it; then another takes over */
    preparingUntilMs: 'INTEGER',
    UNIQUE: '(accountId, predictionId)',
  },
  accountSettings: {
    accountId: 'TEXT PRIMARY KEY',
    keepAudio: "TEXT NOT NULL CHECK (keepAudio IN ('nothing', 'moments', 'shortRecording', 'recording'))",
  },
  /** A resumable upload. The size of its file tells how much has arrived. */
  resumableUploads: {
    /** random; names its file */
    id: 'TEXT PRIMARY KEY',
    accountId: 'TEXT NOT NULL',
    createdAtMs: 'INTEGER NOT NULL',
    /** size of the whole recording, as stated by the sender */
    bytes: 'INTEGER NOT NULL',
    /** what the sender stated about it, as JSON */
    metadata: 'TEXT NOT NULL',
    /** of the whole recording, once a prediction has asked for it */
    sha256: 'TEXT',
    /** when a prediction took it over: its file is deleted, and only the same request may name it again */
    usedAtMs: 'INTEGER',
  },
  /** Settings made by the operator; never secrets. */
  settings: {
    name: 'TEXT PRIMARY KEY',
    /** in its written form; empty if it is not set */
    value: 'TEXT NOT NULL',
  },
  /** Codes that open the page `/setup`. */
  setupCodes: {
    /** SHA-256 of the code; the code itself is only on the operator's terminal */
    codeHash: 'TEXT PRIMARY KEY',
    expiresAtMs: 'INTEGER NOT NULL',
    /** wrong codes entered while this one was valid, on all machines */
    wrongTries: 'INTEGER NOT NULL DEFAULT 0',
  },
  /** When something last happened, by PostgreSQL's clock if there is one. */
  lastTimes: {
    /**
     * `latest`: the highest time at which a server has run. `copied`, only in a backup: when it was made; once a server has started with it,
     * `restored`
     */
    what: 'TEXT PRIMARY KEY',
    atMs: 'INTEGER NOT NULL',
  },
  /** A trouble of which the operator has had an email. */
  troubles: {
    code: 'TEXT NOT NULL',
    /** host name; empty for a trouble that is not of one machine */
    machine: 'TEXT NOT NULL',
    /** why it is bad, by the latest email, where there are several reasons */
    reason: 'TEXT',
    /** how bad the latest email said it is; negative: how bad it was, and that it is over */
    level: 'INTEGER NOT NULL',
    /** when the operator was last told that it is bad */
    toldAtMs: 'INTEGER NOT NULL',
    'PRIMARY KEY': '(code, machine)',
  },
} as const;

/** On PostgreSQL only, for what several machines share and a single machine has in memory. */
export const sharedTables = {
  signingKeys: {
    kid: 'TEXT PRIMARY KEY',
    createdAtMs: 'INTEGER NOT NULL',
    /** PEM */
    privateKey: 'TEXT NOT NULL',
    /** PEM */
    certificate: 'TEXT NOT NULL',
  },
  /** Values that all machines share, created by the first of them. */
  sharedValues: {
    name: 'TEXT PRIMARY KEY',
    value: 'TEXT NOT NULL',
  },
  /** A live process with this database on PostgreSQL. */
  machines: {
    id: 'TEXT PRIMARY KEY',
    /** recordings that it analyses concurrently; none on a web machine */
    places: 'INTEGER NOT NULL',
    /** SHA-256; null while none is loaded */
    model: 'TEXT',
    /** how long one recording takes */
    jobSeconds: 'REAL NOT NULL',
    /** by PostgreSQL's clock */
    seenAtMs: 'INTEGER NOT NULL',
  },
} as const;

/**
 * The same, lost when PostgreSQL is killed. Rate limits are written often, and those of a single machine are lost when it stops; incoming
 * uploads fail anyway then.
 */
export const unloggedTables = {
  /** Written by rate-limiter-flexible. */
  rateLimits: {
    /** hash of a limiter's name and the key it counts */
    key: 'TEXT PRIMARY KEY',
    points: 'INTEGER NOT NULL',
    /** milliseconds since 1970 */
    expire: 'INTEGER',
  },
  /** An incoming upload on one of several machines. */
  arrivingUploads: {
    /** the id that the prediction will have */
    id: 'TEXT PRIMARY KEY',
    accountId: 'TEXT NOT NULL',
    idempotencyKey: 'TEXT',
    apiTokenId: 'TEXT',
    createdAtMs: 'INTEGER NOT NULL',
    /** by PostgreSQL's clock */
    seenAtMs: 'INTEGER NOT NULL',
  },
} as const;

/** What the words do not say: few values, of which a later step may add one. */
interface Refined {
  sessions: { endReason: SessionEndReason | null };
  oneTimeCodes: { requestType: OneTimeCodeType };
  lastTimes: { what: 'sweep' | 'latest' | 'backup' | 'copied' | 'restored' };
}

/** `'a', 'b'` or `0, 1`, as in a CHECK */
type Listed<List> = List extends `${infer First}, ${infer Rest}`
  ? Listed<First> | Listed<Rest>
  : List extends `'${infer Text}'`
    ? Text
    : List extends `${infer Digits extends number}`
      ? Digits
      : never;
type ValueOf<Words> = Words extends `${string} IN (${infer List}))`
  ? Listed<List>
  : Words extends `TEXT${string}`
    ? string
    : Words extends `BLOB${string}`
      ? Uint8Array
      : number;
type ColumnOf<Words> = Words extends `${string} DEFAULT ${string}`
  ? Generated<ValueOf<Words>>
  : Words extends `${string} NOT NULL${string}` | `${string} PRIMARY KEY${string}`
    ? ValueOf<Words>
    : ValueOf<Words> | null;
type RowsOf<All> = {
  -readonly [Name in keyof All]: {
    -readonly [Column in keyof All[Name] as Exclude<Column, 'PRIMARY KEY' | 'UNIQUE'>]: ColumnOf<All[Name][Column]>;
  };
};

export type Tables = RowsOf<typeof tables & typeof sharedTables & typeof unloggedTables> & Refined;

/** 0 is no, 1 is yes. */
export type Flag = 0 | 1;
export type PredictionState = Tables['predictions']['state'];
export type SessionEndReason =
  | 'signedOut'
  | 'passwordChanged'
  | 'emailChanged'
  | 'accountDeleted'
  | 'revoked'
  | 'disabled'
  | 'idle';
export type OneTimeCodeType = 'PASSWORD_RESET' | 'VERIFY_EMAIL' | 'VERIFY_AND_CHANGE_EMAIL' | 'RECOVER_EMAIL';

export type AccountsTable = Tables['accounts'];
export type SessionsTable = Tables['sessions'];
export type OneTimeCodesTable = Tables['oneTimeCodes'];
export type InvitationsTable = Tables['invitations'];
export type ApiTokensTable = Tables['apiTokens'];
export type PredictionsTable = Tables['predictions'];
export type PredictionReviewsTable = Tables['predictionReviews'];
export type KeptSoundsTable = Tables['keptSounds'];
export type ResumableUploadsTable = Tables['resumableUploads'];
export type SigningKeysTable = Tables['signingKeys'];
export type ArrivingUploadsTable = Tables['arrivingUploads'];
