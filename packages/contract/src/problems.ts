/**
 * The problem catalogue: every code that our responses can contain, defined once.
 *
 * Domain errors have a code and details and know no HTTP; the rest is looked up here when a response is written. To add an error, add a
 * row: its details are the parameters of its sentence, and the compiler shows what else must follow. A sentence says what was found and
 * what would work.
 */

export const SUPPORTED_FORMATS = 'Try a recording in WAV, FLAC, MP3, M4A, OGG, Opus or WebM.';

const megabytes = (bytes: number): string => `${Math.max(0.1, Math.round(bytes / 104_857.6) / 10)} MB`;

/** A duration in words: `40 seconds`, `12 minutes`, `3 hours`. */
export function spokenDuration(seconds: number): string {
  const say = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (seconds < 90) return say(Math.round(seconds * 100) / 100, 'second');
  if (seconds < 5400) return say(Math.round(seconds / 60), 'minute');
  return say(Math.round(seconds / 360) / 10, 'hour');
}

const busyWith = {
  everybody: 'The server is busy right now.',
  account: 'This account already has as many recordings in progress as it can have at once.',
  network: 'Your network already has as many recordings in progress as it can have at once.',
  database: 'The server’s database is not responding right now.',
  otherProgram: 'Another program on the server is using the database right now.',
  storage: 'The server’s storage is not responding right now.',
  requests: 'You already have as many requests in progress as you can have at once.',
} as const;

interface FoundDetails {
  readonly found: string;
}

interface Wait {
  readonly retryAfterSeconds: number;
}

interface Busy extends Wait {
  /** Whose share is used up, what prevents storing, or what is in use; absent when the whole server is busy. */
  readonly by?: 'account' | 'network' | 'database' | 'otherProgram' | 'storage' | 'requests';
}

interface QuotaExceeded extends Wait {
  readonly of: 'recordings' | 'megabytes';
  readonly by: 'account' | 'network';
}

const rows = {
  REQUEST_INVALID: { status: 400, title: 'Invalid request', retryable: false, sentence: ({ found }: FoundDetails) => found },
  FILE_MISSING: {
    status: 400,
    title: 'No recording',
    retryable: false,
    sentence: () => 'No recording was sent. Send one in the form field called “file”.',
  },
  RECORDING_UNSUPPORTED: {
    status: 415,
    title: 'We can’t read this file type',
    retryable: false,
    sentence: ({ found }: FoundDetails) => `This is ${found}. ${SUPPORTED_FORMATS}`,
  },
  RECORDING_DAMAGED: {
    status: 422,
    title: 'Damaged recording',
    retryable: false,
    sentence: ({ container, why }: { container: string; why: string }) =>
      `This looks like ${container}, but ${why}, so nothing could be read. Try exporting or copying it again.`,
  },
  RECORDING_EMPTY: { status: 422, title: 'No audio', retryable: false, sentence: () => 'There is no audio in this file.' },
  RECORDING_TOO_SHORT: {
    status: 422,
    title: 'Recording too short',
    retryable: false,
    sentence: ({ foundSeconds, minSeconds }: { foundSeconds: number; minSeconds: number }) =>
      `A recording must be at least ${minSeconds === 0.5 ? 'half a second' : spokenDuration(minSeconds)} long. This one is ${spokenDuration(foundSeconds)}.`,
  },
  RECORDING_TOO_LONG: {
    status: 413,
    title: 'Recording too long',
    retryable: false,
    sentence: ({ foundSeconds, maxSeconds }: { foundSeconds: number | null; maxSeconds: number }) =>
      `A recording can be at most ${spokenDuration(maxSeconds)} long. This one is ${foundSeconds === null ? 'longer' : spokenDuration(foundSeconds)}.`,
  },
  RECORDING_TOO_LARGE: {
    status: 413,
    title: 'Recording too large',
    retryable: false,
    sentence: ({ foundBytes, maxBytes }: { foundBytes: number | null; maxBytes: number }) =>
      `A recording can be at most ${megabytes(maxBytes)}. This one is ${foundBytes === null ? 'larger' : megabytes(foundBytes)}.`,
  },
  RECORDING_TOO_DEMANDING: {
    status: 422,
    title: 'Recording outside the limits',
    retryable: false,
    sentence: ({ found }: FoundDetails) =>
      `We found ${found}, which is outside the limits for one recording. ${SUPPORTED_FORMATS}`,
  },
  MODEL_NOT_INSTALLED: {
    status: 503,
    title: 'Model not installed',
    retryable: true,
    sentence: () => 'The model is not installed yet.',
  },
  MODEL_DAMAGED: {
    status: 503,
    title: 'Model damaged',
    retryable: true,
    sentence: () => 'The files of the model have changed since it was installed, so nothing is analysed until it is repaired.',
  },
  DECODER_NOT_INSTALLED: {
    status: 503,
    title: 'Decoder not installed',
    retryable: true,
    sentence: () => 'The program that reads recordings (ffmpeg) is not installed yet.',
  },
  DECODER_FAILED: {
    status: 503,
    title: 'Decoder interrupted',
    retryable: true,
    sentence: () =>
      'The program that reads recordings (ffmpeg) stopped or failed to start several times in a row. Nothing is wrong with your recording. Try again in a minute.',
  },
  SERVER_BUSY: {
    status: 503,
    title: 'Busy',
    retryable: true,
    sentence: ({ retryAfterSeconds, by }: Busy) =>
      `${busyWith[by ?? 'everybody']} Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'Limit reached',
    retryable: true,
    sentence: ({ retryAfterSeconds, of, by }: QuotaExceeded) =>
      `${by === 'account' ? 'This account' : 'Your network'} has sent as ${of === 'recordings' ? 'many recordings' : 'much audio'} as it can for now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `Your network has sent too many requests in a short time. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  EXPORT_UNDER_WAY: {
    status: 429,
    title: 'Another export is in progress',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `This account already has an export in progress, and can have only one at a time. Try again when it is done, or in ${spokenDuration(retryAfterSeconds)}.`,
  },
  STORAGE_FULL: {
    status: 507,
    title: 'Not enough space',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `The server does not have enough space for this right now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    title: 'Storage unavailable',
    retryable: true,
    sentence: () =>
      'The server cannot use its database or storage right now, so nothing was saved. Its operator needs to fix this.',
  },
  UPLOAD_TIMEOUT: {
    status: 408,
    title: 'Upload stalled',
    retryable: true,
    sentence: () => 'The upload stopped or was too slow. Try again, on a better connection if you can.',
  },
  UPLOAD_INTERRUPTED: {
    status: 408,
    title: 'Upload interrupted',
    retryable: true,
    sentence: () => 'The upload was interrupted before the whole recording had arrived. Send it again.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    title: 'Upload not found',
    retryable: false,
    sentence: () => 'This upload no longer exists. Send the recording again.',
  },
  UPLOAD_UNFINISHED: {
    status: 409,
    title: 'Upload incomplete',
    retryable: true,
    sentence: ({ receivedBytes, bytes }: { receivedBytes: number; bytes: number }) =>
      `Only ${megabytes(receivedBytes)} of ${megabytes(bytes)} has arrived. Send the rest first.`,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Idempotency key already used',
    retryable: false,
    sentence: () => 'This idempotency key has already been used for another recording or with different fields. Use a new key.',
  },
  PREDICTION_CANCELLED: {
    status: 409,
    title: 'Cancelled',
    retryable: false,
    sentence: () => 'The analysis of this recording was cancelled.',
  },
  STILL_LISTENING: {
    status: 409,
    title: 'No result yet',
    retryable: true,
    sentence: () => 'This recording is still being analysed. Try again when it is done.',
  },
  MODEL_REPLACED: {
    status: 409,
    title: 'Result from another model',
    retryable: false,
    sentence: ({ model }: { model: string }) =>
      `This result came from the model ${model}, which is no longer installed, so it cannot be updated. You can still open and export it. To use another place or date, send the recording again.`,
  },
  SPECIES_NOT_MENTIONED: {
    status: 422,
    title: 'Not in this result',
    retryable: false,
    sentence: ({ scientificName }: { scientificName: string }) =>
      `This result does not mention ${scientificName}, so it can’t be confirmed, rejected or corrected. To add the bird, send the verdict "added".`,
  },
  TOO_MANY_LINKS: {
    status: 409,
    title: 'Too many links',
    retryable: false,
    sentence: ({ most }: { most: number }) => `This account already has ${most} links. Revoke one you no longer need first.`,
  },
  ANALYSIS_ABANDONED: {
    status: 500,
    title: 'Couldn’t be analysed',
    retryable: false,
    sentence: ({ attempts }: { attempts: number }) =>
      `The analysis of this recording failed ${attempts} times, so we stopped trying. A copy in another format may work.`,
  },
  SOUND_NOT_READY: {
    status: 503,
    title: 'Audio not ready yet',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `The audio of this recording is still being prepared. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  TICKET_INVALID: {
    status: 401,
    title: 'Link no longer valid',
    retryable: false,
    sentence: () => 'This link is no longer valid. Open the recording again.',
  },
  SIGN_IN_REQUIRED: { status: 401, title: 'Not signed in', retryable: false, sentence: () => 'Please sign in.' },
  SESSION_EXPIRED: {
    status: 401,
    title: 'Signed out',
    retryable: false,
    sentence: () => 'You were signed out. Please sign in again.',
  },
  API_TOKEN_INVALID: {
    status: 401,
    title: 'API token not valid',
    retryable: false,
    sentence: () => 'This API token is unknown, has expired or was revoked.',
  },
  API_TOKEN_NOT_ALLOWED: {
    status: 403,
    title: 'Not allowed with this API token',
    retryable: false,
    sentence: ({ needed }: { needed: readonly string[] }) =>
      needed.length === 0
        ? 'API tokens cannot be used here. Sign in instead.'
        : `This needs an API token with the scope ${needed.join(' or ')}.`,
  },
  TOO_MANY_API_TOKENS: {
    status: 409,
    title: 'Too many API tokens',
    retryable: false,
    sentence: ({ most }: { most: number }) => `An account can have at most ${most} API tokens. Revoke one first.`,
  },
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: {
    status: 400,
    title: 'Please sign in again',
    retryable: false,
    sentence: () => 'Please enter your password again. You need to have signed in within the last five minutes.',
  },
  IDENTITY_UNAVAILABLE: {
    status: 503,
    title: 'Sign-in unavailable',
    retryable: true,
    sentence: () => 'The sign-in service cannot be reached right now. Try again in a moment.',
  },
  SETUP_CODE_NEEDED: { status: 401, title: 'Set-up code needed', retryable: false, sentence: () => 'Enter the set-up code.' },
  SETUP_CODE_WRONG: {
    status: 401,
    title: 'Wrong set-up code',
    retryable: false,
    sentence: ({ triesLeft }: { triesLeft: number }) =>
      triesLeft === 0
        ? 'This is not the set-up code. After five wrong tries, you need a new one.'
        : `This is not the set-up code. Tries left: ${triesLeft}.`,
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    retryable: true,
    sentence: ({ missing }: { missing: string }) => `This server cannot analyse recordings: ${missing}.`,
  },
  NOT_FOUND: { status: 404, title: 'Not found', retryable: false, sentence: () => 'There is nothing at this address.' },
  SPECIES_UNKNOWN: {
    status: 404,
    title: 'Unknown bird',
    retryable: false,
    sentence: ({ name }: { name: string }) =>
      `The model knows no bird called “${name}”. Use a scientific name such as Turdus merula, or search by a common name.`,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
    sentence: ({ allowed }: { allowed: string }) => `This address only accepts ${allowed}.`,
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong',
    retryable: true,
    sentence: ({ reference }: { reference: string }) => `Something went wrong on our side. Reference ${reference}.`,
  },
} satisfies Record<string, { sentence: (details: never) => string; status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof rows;

/** The details that each code's sentence needs. */
export type ProblemDetails = {
  readonly [Code in ProblemCode]: (typeof rows)[Code]['sentence'] extends (details: infer Details extends object) => string
    ? Details
    : never;
};

interface ProblemRow<Code extends ProblemCode> {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly sentence: (details: ProblemDetails[Code]) => string;
}

export const problems: { readonly [Code in ProblemCode]: ProblemRow<Code> } = rows;

/** The sentence of a problem; the types make the details fit the code. */
export function problemSentence<Code extends ProblemCode>(code: Code, details: ProblemDetails[Code]): string {
  return problems[code].sentence(details);
}
