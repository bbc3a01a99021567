/**
 * The problem catalogue: every code that an answer of ours can carry, once.
 *
 * Domain errors know a code and details, never HTTP; the writers look here for the rest. To add an error, add a row: its details are
 * what its sentence takes, and the compiler shows what else must follow. A sentence says what was found and what would work.
 */

export const SUPPORTED_FORMATS = 'Recordings in WAV, FLAC, MP3, M4A, OGG, Opus or WebM work.';

const megabytes = (bytes: number): string => `${Math.max(0.1, Math.round(bytes / 104_857.6) / 10)} MB`;

/** A length of time as people say it: `40 seconds`, `12 minutes`, `3 hours`. */
export function spokenDuration(seconds: number): string {
  const say = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (seconds < 90) return say(Math.round(seconds * 100) / 100, 'second');
  if (seconds < 5400) return say(Math.round(seconds / 60), 'minute');
  return say(Math.round(seconds / 360) / 10, 'hour');
}

const busyWith = {
  everybody: 'Many people are listening right now.',
  account: 'As many recordings of this account are under way as may be at once.',
  network: 'As many recordings from your network address are under way as may be at once.',
  otherProgram: 'Another program on the server is using the database right now.',
  largeAnswers: 'Many large answers are being opened right now.',
  ownLargeAnswers: 'As many large answers of this account are being opened as may be at once.',
} as const;

interface Found {
  readonly found: string;
}

interface Wait {
  readonly retryAfterSeconds: number;
}

interface Busy extends Wait {
  /** Whose share is taken, what keeps the database from being written, or what is worked on; absent when everything is taken. */
  readonly by?: 'account' | 'network' | 'otherProgram' | 'largeAnswers' | 'ownLargeAnswers';
}

interface QuotaExceeded extends Wait {
  readonly of: 'recordings' | 'megabytes';
  readonly by: 'account' | 'network';
}

const rows = {
  REQUEST_INVALID: { status: 400, title: 'Request not understood', retryable: false, sentence: ({ found }: Found) => found },
  FILE_MISSING: {
    status: 400,
    title: 'No recording',
    retryable: false,
    sentence: () => 'Choose a recording first: the form field is called file.',
  },
  RECORDING_UNSUPPORTED: {
    status: 415,
    title: 'Not a recording we can read',
    retryable: false,
    sentence: ({ found }: Found) => `We found ${found}. ${SUPPORTED_FORMATS}`,
  },
  RECORDING_DAMAGED: {
    status: 422,
    title: 'Damaged recording',
    retryable: false,
    sentence: ({ container, why }: { container: string; why: string }) =>
      `This looks like ${container} but ${why}; nothing could be read. Try to export or copy it again.`,
  },
  RECORDING_EMPTY: { status: 422, title: 'No audio', retryable: false, sentence: () => 'There is no audio in this file.' },
  RECORDING_TOO_SHORT: {
    status: 422,
    title: 'Recording too short',
    retryable: false,
    sentence: ({ foundSeconds, minSeconds }: { foundSeconds: number; minSeconds: number }) =>
      `At least ${minSeconds === 0.5 ? 'half a second' : spokenDuration(minSeconds)} is needed. Yours has ${spokenDuration(foundSeconds)}.`,
  },
  RECORDING_TOO_LONG: {
    status: 413,
    title: 'Recording too long',
    retryable: false,
    sentence: ({ foundSeconds, maxSeconds }: { foundSeconds: number | null; maxSeconds: number }) =>
      `At most ${spokenDuration(maxSeconds)} can be analysed at once.${foundSeconds === null ? ' Yours is longer.' : ` Yours has ${spokenDuration(foundSeconds)}.`}`,
  },
  RECORDING_TOO_LARGE: {
    status: 413,
    title: 'Recording too large',
    retryable: false,
    sentence: ({ foundBytes, maxBytes }: { foundBytes: number | null; maxBytes: number }) =>
      `At most ${megabytes(maxBytes)} can be sent.${foundBytes === null ? ' Yours is larger.' : ` Yours has ${megabytes(foundBytes)}.`}`,
  },
  RECORDING_TOO_DEMANDING: {
    status: 422,
    title: 'Recording out of limits',
    retryable: false,
    sentence: ({ found }: Found) =>
      `We found ${found}, which takes more than is set aside for one recording. ${SUPPORTED_FORMATS}`,
  },
  MODEL_NOT_INSTALLED: {
    status: 503,
    title: 'Recogniser not installed',
    retryable: true,
    sentence: () => 'The recogniser is not installed here yet.',
  },
  DECODER_NOT_INSTALLED: {
    status: 503,
    title: 'Decoder not installed',
    retryable: true,
    sentence: () => 'The program that reads recordings (ffmpeg) is not installed here yet.',
  },
  DECODER_FAILED: {
    status: 503,
    title: 'Decoder interrupted',
    retryable: true,
    sentence: () =>
      'The program that reads recordings (ffmpeg) was stopped or could not be started, several times in a row. That is no fault of the recording: try again in a minute.',
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
    title: 'Enough for now',
    retryable: true,
    sentence: ({ retryAfterSeconds, of, by }: QuotaExceeded) =>
      `${by === 'account' ? 'This account has' : 'Everybody at your network address together has'} sent as ${of === 'recordings' ? 'many recordings' : 'much sound'} as may be sent for now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `More requests came from your network address than are answered in so short a time. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  STORAGE_FULL: {
    status: 507,
    title: 'No room',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `There is not enough room on the server for this right now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    title: 'Storage out of order',
    retryable: true,
    sentence: () => 'The server cannot use its database right now, so nothing was saved. Its operator has to look after it.',
  },
  UPLOAD_TIMEOUT: {
    status: 408,
    title: 'Upload stalled',
    retryable: true,
    sentence: () => 'The upload stopped arriving, or came too slowly. Try again, perhaps with a better connection.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    title: 'Upload gone',
    retryable: false,
    sentence: () => 'This upload is not there, or not any more. Send the recording again.',
  },
  UPLOAD_UNFINISHED: {
    status: 409,
    title: 'Upload not finished',
    retryable: true,
    sentence: ({ receivedBytes, bytes }: { receivedBytes: number; bytes: number }) =>
      `Only ${megabytes(receivedBytes)} of ${megabytes(bytes)} have arrived. Send the rest first.`,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Key used before',
    retryable: false,
    sentence: () => 'This upload key was used for another recording, or with other fields. Send it with a new key.',
  },
  PREDICTION_CANCELLED: {
    status: 409,
    title: 'Cancelled',
    retryable: false,
    sentence: () => 'Listening to this recording was cancelled.',
  },
  STILL_LISTENING: {
    status: 409,
    title: 'No answer yet',
    retryable: true,
    sentence: () => 'This recording is still being listened to. Come back when it is done.',
  },
  MODEL_REPLACED: {
    status: 409,
    title: 'Answer of another model',
    retryable: false,
    sentence: ({ model }: { model: string }) =>
      `This answer was given by the model ${model}, which is not installed here any more: it cannot be worked out again from what was kept. It stays as it is, with its exports; for other conditions, send the recording once more.`,
  },
  ANALYSIS_ABANDONED: {
    status: 500,
    title: 'Listening broke off',
    retryable: false,
    sentence: ({ attempts }: { attempts: number }) =>
      `Listening to this recording broke off ${attempts} times, so it was given up. Perhaps a copy in another format works.`,
  },
  SOUND_NOT_READY: {
    status: 503,
    title: 'Sound being prepared',
    retryable: true,
    sentence: ({ retryAfterSeconds }: Wait) =>
      `The sound of this recording is still being prepared. Try again in ${spokenDuration(retryAfterSeconds)}.`,
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
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: {
    status: 400,
    title: 'Signed in too long ago',
    retryable: false,
    sentence: () => 'Please give your password once more: this needs a sign-in of the last five minutes.',
  },
  IDENTITY_UNAVAILABLE: {
    status: 503,
    title: 'Accounts out of reach',
    retryable: true,
    sentence: () => 'The service that knows the accounts cannot be reached right now. Try again in a moment.',
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    retryable: true,
    sentence: ({ missing }: { missing: string }) => `Predictions cannot be answered yet: ${missing}.`,
  },
  NOT_FOUND: { status: 404, title: 'Not found', retryable: false, sentence: () => 'There is nothing here.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    retryable: false,
    sentence: ({ allowed }: { allowed: string }) => `This address answers ${allowed} only.`,
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong',
    retryable: true,
    sentence: ({ reference }: { reference: string }) => `Something went wrong on our side. Reference ${reference}.`,
  },
} satisfies Record<string, { sentence: (details: never) => string; status: number; title: string; retryable: boolean }>;

export type ProblemCode = keyof typeof rows;

/** What each code's sentence needs to know. */
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

/** The sentence of a problem; details and code belong together by type. */
export function problemSentence<Code extends ProblemCode>(code: Code, details: ProblemDetails[Code]): string {
  return problems[code].sentence(details);
}
