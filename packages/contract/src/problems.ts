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

/** A problem that stays: the same request fails again. */
const lasting = <Sentence extends (details: never) => string>(status: number, title: string, sentence: Sentence) =>
  ({ status, title, sentence, retryable: false }) as const;
/** A problem that passes: the same request may succeed later. */
const passing = <Sentence extends (details: never) => string>(status: number, title: string, sentence: Sentence) =>
  ({ status, title, sentence, retryable: true }) as const;

const rows = {
  REQUEST_INVALID: lasting(400, 'Invalid request', ({ found }: FoundDetails) => found),
  FILE_MISSING: lasting(400, 'No recording', () => 'No recording was sent. Send one in the form field called “file”.'),
  RECORDING_UNSUPPORTED: lasting(
    415,
    'No sound that we can read',
    ({ found }: FoundDetails) => `This is ${found}. We found no sound in it that we can read. ${SUPPORTED_FORMATS}`,
  ),
  RECORDING_DAMAGED: lasting(
    422,
    'Damaged recording',
    ({ container, why }: { container: string; why: string }) =>
      `This looks like ${container}, but ${why}, so nothing could be read. Try exporting or copying it again.`,
  ),
  RECORDING_EMPTY: lasting(422, 'No audio', () => 'There is no audio in this file.'),
  RECORDING_TOO_SHORT: lasting(
    422,
    'Recording too short',
    ({ foundSeconds, minSeconds }: { foundSeconds: number; minSeconds: number }) =>
      `A recording must be at least ${minSeconds === 0.5 ? 'half a second' : spokenDuration(minSeconds)} long. This one is ${spokenDuration(foundSeconds)}.`,
  ),
  RECORDING_TOO_LONG: lasting(
    413,
    'Recording too long',
    ({ foundSeconds, maxSeconds }: { foundSeconds: number | null; maxSeconds: number }) =>
      `A recording can be at most ${spokenDuration(maxSeconds)} long. This one is ${foundSeconds === null ? 'longer' : spokenDuration(foundSeconds)}.`,
  ),
  RECORDING_TOO_LARGE: lasting(
    413,
    'Recording too large',
    ({ foundBytes, maxBytes }: { foundBytes: number | null; maxBytes: number }) =>
      `A recording can be at most ${megabytes(maxBytes)}. This one is ${foundBytes === null ? 'larger' : megabytes(foundBytes)}.`,
  ),
  RECORDING_TOO_DEMANDING: lasting(
    422,
    'Recording outside the limits',
    ({ found }: FoundDetails) => `We found ${found}, which is outside the limits for one recording. ${SUPPORTED_FORMATS}`,
  ),
  MODEL_NOT_INSTALLED: passing(503, 'Model not installed', () => 'The model is not installed yet.'),
  MODEL_DAMAGED: passing(
    503,
    'Model damaged',
    () => 'The files of the model have changed since it was installed, so nothing is analysed until it is repaired.',
  ),
  DECODER_NOT_INSTALLED: passing(
    503,
    'Decoder not installed',
    () => 'The program that reads recordings (ffmpeg) is not installed yet.',
  ),
  DECODER_FAILED: passing(
    503,
    'Decoder interrupted',
    () =>
      'The program that reads recordings (ffmpeg) stopped or failed to start several times in a row. Nothing is wrong with your recording. Try again in a minute.',
  ),
  SERVER_BUSY: passing(
    503,
    'Busy',
    ({ retryAfterSeconds, by }: Busy) => `${busyWith[by ?? 'everybody']} Try again in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  QUOTA_EXCEEDED: passing(
    429,
    'Limit reached',
    ({ retryAfterSeconds, of, by }: QuotaExceeded) =>
      `${by === 'account' ? 'This account' : 'Your network'} has sent as ${of === 'recordings' ? 'many recordings' : 'much audio'} as it can for now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  TOO_MANY_REQUESTS: passing(
    429,
    'Too many requests',
    ({ retryAfterSeconds }: Wait) =>
      `Your network has sent too many requests in a short time. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  EXPORT_UNDER_WAY: passing(
    429,
    'Another export is in progress',
    ({ retryAfterSeconds }: Wait) =>
      `This account already has an export in progress, and can have only one at a time. Try again when it is done, or in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  STORAGE_FULL: passing(
    507,
    'Not enough space',
    ({ retryAfterSeconds }: Wait) =>
      `The server does not have enough space for this right now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  STORAGE_UNAVAILABLE: passing(
    503,
    'Storage unavailable',
    () => 'The server cannot use its database or storage right now, so nothing was saved. Its operator needs to fix this.',
  ),
  UPLOAD_TIMEOUT: passing(
    408,
    'Upload stalled',
    () => 'The upload stopped or was too slow. Try again, on a better connection if you can.',
  ),
  UPLOAD_INTERRUPTED: passing(
    408,
    'Upload interrupted',
    () => 'The upload was interrupted before the whole recording had arrived. Send it again.',
  ),
  UPLOAD_NOT_FOUND: lasting(404, 'Upload not found', () => 'This upload no longer exists. Send the recording again.'),
  UPLOAD_UNFINISHED: passing(
    409,
    'Upload incomplete',
    ({ receivedBytes, bytes }: { receivedBytes: number; bytes: number }) =>
      `Only ${megabytes(receivedBytes)} of ${megabytes(bytes)} has arrived. Send the rest first.`,
  ),
  IDEMPOTENCY_KEY_REUSED: lasting(
    422,
    'Idempotency key already used',
    () => 'This idempotency key has already been used for another recording or with different fields. Use a new key.',
  ),
  PREDICTION_CANCELLED: lasting(409, 'Cancelled', () => 'The analysis of this recording was cancelled.'),
  STILL_LISTENING: passing(409, 'No result yet', () => 'This recording is still being analysed. Try again when it is done.'),
  MODEL_REPLACED: lasting(
    409,
    'Result from another model',
    ({ model }: { model: string }) =>
      `This result came from the model ${model}, which is no longer installed, so it cannot be updated. You can still open and export it. To use another place or date, send the recording again.`,
  ),
  SPECIES_NOT_MENTIONED: lasting(
    422,
    'Not in this result',
    ({ scientificName }: { scientificName: string }) =>
      `This result does not mention ${scientificName}, so it can’t be confirmed, rejected or corrected. To add the bird, send the verdict "added".`,
  ),
  TOO_MANY_LINKS: lasting(
    409,
    'Too many links',
    ({ most }: { most: number }) => `This account already has ${most} links. Revoke one you no longer need first.`,
  ),
  ANALYSIS_ABANDONED: lasting(
    500,
    'Couldn’t be analysed',
    ({ attempts }: { attempts: number }) =>
      `The analysis of this recording failed ${attempts} times, so we stopped trying. A copy in another format may work.`,
  ),
  SOUND_NOT_READY: passing(
    503,
    'Audio not ready yet',
    ({ retryAfterSeconds }: Wait) =>
      `The audio of this recording is still being prepared. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  ),
  TICKET_INVALID: lasting(401, 'Link no longer valid', () => 'This link is no longer valid. Open the recording again.'),
  SIGN_IN_REQUIRED: lasting(401, 'Not signed in', () => 'Please sign in.'),
  SESSION_EXPIRED: lasting(401, 'Signed out', () => 'You were signed out. Please sign in again.'),
  API_TOKEN_INVALID: lasting(401, 'API token not valid', () => 'This API token is unknown, has expired or was revoked.'),
  API_TOKEN_NOT_ALLOWED: lasting(403, 'Not allowed with this API token', ({ needed }: { needed: readonly string[] }) =>
    needed.length === 0
      ? 'API tokens cannot be used here. Sign in instead.'
      : `This needs an API token with the scope ${needed.join(' or ')}.`,
  ),
  TOO_MANY_API_TOKENS: lasting(
    409,
    'Too many API tokens',
    ({ most }: { most: number }) => `An account can have at most ${most} API tokens. Revoke one first.`,
  ),
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: lasting(
    400,
    'Please sign in again',
    () => 'Please enter your password again. You need to have signed in within the last five minutes.',
  ),
  IDENTITY_UNAVAILABLE: passing(
    503,
    'Sign-in unavailable',
    () => 'The sign-in service cannot be reached right now. Try again in a moment.',
  ),
  SETUP_CODE_NEEDED: lasting(401, 'Set-up code needed', () => 'Enter the set-up code.'),
  SETUP_CODE_WRONG: lasting(401, 'Wrong set-up code', ({ triesLeft }: { triesLeft: number }) =>
    triesLeft === 0
      ? 'This is not the set-up code. After five wrong tries, you need a new one.'
      : `This is not the set-up code. Tries left: ${triesLeft}.`,
  ),
  NOT_READY: passing(
    503,
    'Not ready',
    ({ missing }: { missing: string }) => `This server cannot analyse recordings: ${missing}.`,
  ),
  NOT_FOUND: lasting(404, 'Not found', () => 'There is nothing at this address.'),
  SPECIES_UNKNOWN: lasting(
    404,
    'Unknown bird',
    ({ name }: { name: string }) =>
      `The model knows no bird called “${name}”. Use a scientific name such as Turdus merula, or search by a common name.`,
  ),
  METHOD_NOT_ALLOWED: lasting(
    405,
    'Method not allowed',
    ({ allowed }: { allowed: string }) => `This address only accepts ${allowed}.`,
  ),
  INTERNAL: passing(
    500,
    'Something went wrong',
    ({ reference }: { reference: string }) => `Something went wrong on our side. Reference ${reference}.`,
  ),
};

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
