/**
 * The problem catalogue: every code that an answer of ours can carry, once.
 *
 * Domain errors know a code and details, never HTTP; the writers look here for the rest. To add an error, add a row: the
 * compiler shows what else must follow. A sentence says what was found and what would work.
 */

/** What each code's sentence needs to know. `Record<never, never>` means nothing. */
export interface ProblemDetails {
  readonly REQUEST_INVALID: { readonly found: string };
  readonly FILE_MISSING: Record<never, never>;
  readonly RECORDING_UNSUPPORTED: { readonly found: string };
  readonly RECORDING_DAMAGED: { readonly container: string; readonly why: string };
  readonly RECORDING_EMPTY: Record<never, never>;
  readonly RECORDING_TOO_SHORT: { readonly foundSeconds: number; readonly minSeconds: number };
  readonly RECORDING_TOO_LONG: { readonly foundSeconds: number | null; readonly maxSeconds: number };
  readonly RECORDING_TOO_LARGE: { readonly foundBytes: number | null; readonly maxBytes: number };
  readonly RECORDING_TOO_DEMANDING: { readonly found: string };
  readonly MODEL_NOT_INSTALLED: Record<never, never>;
  readonly DECODER_NOT_INSTALLED: Record<never, never>;
  readonly DECODER_FAILED: Record<never, never>;
  readonly SERVER_BUSY: {
    readonly retryAfterSeconds: number;
    /** Whose share is taken, what keeps the database from being written, or what is worked on; absent when everything is taken. */
    readonly by?: 'account' | 'network' | 'otherProgram' | 'largeAnswers' | 'ownLargeAnswers';
  };
  readonly QUOTA_EXCEEDED: {
    readonly retryAfterSeconds: number;
    readonly of: 'recordings' | 'megabytes';
    readonly by: 'account' | 'network';
  };
  readonly TOO_MANY_REQUESTS: { readonly retryAfterSeconds: number };
  readonly STORAGE_FULL: { readonly retryAfterSeconds: number };
  readonly STORAGE_UNAVAILABLE: Record<never, never>;
  readonly UPLOAD_TIMEOUT: Record<never, never>;
  readonly UPLOAD_NOT_FOUND: Record<never, never>;
  readonly UPLOAD_UNFINISHED: { readonly receivedBytes: number; readonly bytes: number };
  readonly IDEMPOTENCY_KEY_REUSED: Record<never, never>;
  readonly PREDICTION_CANCELLED: Record<never, never>;
  readonly STILL_LISTENING: Record<never, never>;
  readonly MODEL_REPLACED: { readonly model: string };
  readonly ANALYSIS_ABANDONED: { readonly attempts: number };
  readonly SOUND_NOT_READY: { readonly retryAfterSeconds: number };
  readonly TICKET_INVALID: Record<never, never>;
  readonly SIGN_IN_REQUIRED: Record<never, never>;
  readonly SESSION_EXPIRED: Record<never, never>;
  readonly CREDENTIAL_TOO_OLD_LOGIN_AGAIN: Record<never, never>;
  readonly IDENTITY_UNAVAILABLE: Record<never, never>;
  readonly NOT_READY: { readonly missing: string };
  readonly NOT_FOUND: Record<never, never>;
  readonly METHOD_NOT_ALLOWED: { readonly allowed: string };
  readonly INTERNAL: { readonly reference: string };
}

export type ProblemCode = keyof ProblemDetails;

interface ProblemRow<Code extends ProblemCode> {
  readonly status: number;
  readonly title: string;
  readonly sentence: (details: ProblemDetails[Code]) => string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
}

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

export const problems: { readonly [Code in ProblemCode]: ProblemRow<Code> } = {
  REQUEST_INVALID: {
    status: 400,
    title: 'Request not understood',
    sentence: ({ found }) => found,
    retryable: false,
  },
  FILE_MISSING: {
    status: 400,
    title: 'No recording',
    sentence: () => 'Choose a recording first: the form field is called file.',
    retryable: false,
  },
  RECORDING_UNSUPPORTED: {
    status: 415,
    title: 'Not a recording we can read',
    sentence: ({ found }) => `We found ${found}. ${SUPPORTED_FORMATS}`,
    retryable: false,
  },
  RECORDING_DAMAGED: {
    status: 422,
    title: 'Damaged recording',
    sentence: ({ container, why }) =>
      `This looks like ${container} but ${why}; nothing could be read. Try to export or copy it again.`,
    retryable: false,
  },
  RECORDING_EMPTY: {
    status: 422,
    title: 'No audio',
    sentence: () => 'There is no audio in this file.',
    retryable: false,
  },
  RECORDING_TOO_SHORT: {
    status: 422,
    title: 'Recording too short',
    sentence: ({ foundSeconds, minSeconds }) =>
      `At least ${minSeconds === 0.5 ? 'half a second' : spokenDuration(minSeconds)} is needed. Yours has ${spokenDuration(foundSeconds)}.`,
    retryable: false,
  },
  RECORDING_TOO_LONG: {
    status: 413,
    title: 'Recording too long',
    sentence: ({ foundSeconds, maxSeconds }) =>
      `At most ${spokenDuration(maxSeconds)} can be analysed at once.${foundSeconds === null ? ' Yours is longer.' : ` Yours has ${spokenDuration(foundSeconds)}.`}`,
    retryable: false,
  },
  RECORDING_TOO_LARGE: {
    status: 413,
    title: 'Recording too large',
    sentence: ({ foundBytes, maxBytes }) =>
      `At most ${megabytes(maxBytes)} can be sent.${foundBytes === null ? ' Yours is larger.' : ` Yours has ${megabytes(foundBytes)}.`}`,
    retryable: false,
  },
  RECORDING_TOO_DEMANDING: {
    status: 422,
    title: 'Recording out of limits',
    sentence: ({ found }) => `We found ${found}, which takes more than is set aside for one recording. ${SUPPORTED_FORMATS}`,
    retryable: false,
  },
  MODEL_NOT_INSTALLED: {
    status: 503,
    title: 'Recogniser not installed',
    sentence: () => 'The recogniser is not installed here yet.',
    retryable: true,
  },
  DECODER_NOT_INSTALLED: {
    status: 503,
    title: 'Decoder not installed',
    sentence: () => 'The program that reads recordings (ffmpeg) is not installed here yet.',
    retryable: true,
  },
  DECODER_FAILED: {
    status: 503,
    title: 'Decoder interrupted',
    sentence: () =>
      'The program that reads recordings (ffmpeg) was stopped or could not be started, several times in a row. That is no fault of the recording: try again in a minute.',
    retryable: true,
  },
  SERVER_BUSY: {
    status: 503,
    title: 'Busy',
    sentence: ({ retryAfterSeconds, by }) => `${busyWith[by ?? 'everybody']} Try again in ${spokenDuration(retryAfterSeconds)}.`,
    retryable: true,
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'Enough for now',
    sentence: ({ retryAfterSeconds, of, by }) =>
      `${by === 'account' ? 'This account has' : 'Everybody at your network address together has'} sent as ${of === 'recordings' ? 'many recordings' : 'much sound'} as may be sent for now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
    retryable: true,
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    title: 'Too many requests',
    sentence: ({ retryAfterSeconds }) =>
      `More requests came from your network address than are answered in so short a time. Try again in ${spokenDuration(retryAfterSeconds)}.`,
    retryable: true,
  },
  STORAGE_FULL: {
    status: 507,
    title: 'No room',
    sentence: ({ retryAfterSeconds }) =>
      `There is not enough room on the server for this right now. Try again in ${spokenDuration(retryAfterSeconds)}.`,
    retryable: true,
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    title: 'Storage out of order',
    sentence: () => 'The server cannot use its database right now, so nothing was saved. Its operator has to look after it.',
    retryable: true,
  },
  UPLOAD_TIMEOUT: {
    status: 408,
    title: 'Upload stalled',
    sentence: () => 'The upload stopped arriving, or came too slowly. Try again, perhaps with a better connection.',
    retryable: true,
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    title: 'Upload gone',
    sentence: () => 'This upload is not there, or not any more. Send the recording again.',
    retryable: false,
  },
  UPLOAD_UNFINISHED: {
    status: 409,
    title: 'Upload not finished',
    sentence: ({ receivedBytes, bytes }) =>
      `Only ${megabytes(receivedBytes)} of ${megabytes(bytes)} have arrived. Send the rest first.`,
    retryable: true,
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'Key used before',
    sentence: () => 'This upload key was used for another recording, or with other fields. Send it with a new key.',
    retryable: false,
  },
  PREDICTION_CANCELLED: {
    status: 409,
    title: 'Cancelled',
    sentence: () => 'Listening to this recording was cancelled.',
    retryable: false,
  },
  STILL_LISTENING: {
    status: 409,
    title: 'No answer yet',
    sentence: () => 'This recording is still being listened to. Come back when it is done.',
    retryable: true,
  },
  MODEL_REPLACED: {
    status: 409,
    title: 'Answer of another model',
    sentence: ({ model }) =>
      `This answer was given by the model ${model}, which is not installed here any more: it cannot be worked out again from what was kept. It stays as it is, with its exports; for other conditions, send the recording once more.`,
    retryable: false,
  },
  ANALYSIS_ABANDONED: {
    status: 500,
    title: 'Listening broke off',
    sentence: ({ attempts }) =>
      `Listening to this recording broke off ${attempts} times, so it was given up. Perhaps a copy in another format works.`,
    retryable: false,
  },
  SOUND_NOT_READY: {
    status: 503,
    title: 'Sound being prepared',
    sentence: ({ retryAfterSeconds }) =>
      `The sound of this recording is still being prepared. Try again in ${spokenDuration(retryAfterSeconds)}.`,
    retryable: true,
  },
  TICKET_INVALID: {
    status: 401,
    title: 'Link no longer valid',
    sentence: () => 'This link is no longer valid. Open the recording again.',
    retryable: false,
  },
  SIGN_IN_REQUIRED: { status: 401, title: 'Not signed in', sentence: () => 'Please sign in.', retryable: false },
  SESSION_EXPIRED: {
    status: 401,
    title: 'Signed out',
    sentence: () => 'You were signed out. Please sign in again.',
    retryable: false,
  },
  CREDENTIAL_TOO_OLD_LOGIN_AGAIN: {
    status: 400,
    title: 'Signed in too long ago',
    sentence: () => 'Please give your password once more: this needs a sign-in of the last five minutes.',
    retryable: false,
  },
  IDENTITY_UNAVAILABLE: {
    status: 503,
    title: 'Accounts out of reach',
    sentence: () => 'The service that knows the accounts cannot be reached right now. Try again in a moment.',
    retryable: true,
  },
  NOT_READY: {
    status: 503,
    title: 'Not ready',
    sentence: ({ missing }) => `Predictions cannot be answered yet: ${missing}.`,
    retryable: true,
  },
  NOT_FOUND: { status: 404, title: 'Not found', sentence: () => 'There is nothing here.', retryable: false },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    sentence: ({ allowed }) => `This address answers ${allowed} only.`,
    retryable: false,
  },
  INTERNAL: {
    status: 500,
    title: 'Something went wrong',
    sentence: ({ reference }) => `Something went wrong on our side. Reference ${reference}.`,
    retryable: true,
  },
};

/** The sentence of a problem; details and code belong together by type. */
export function problemSentence<Code extends ProblemCode>(code: Code, details: ProblemDetails[Code]): string {
  return problems[code].sentence(details);
}
