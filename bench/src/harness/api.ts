import { randomUUID } from 'node:crypto';
import type { Prediction, PredictionEvent } from '@chiffchaff/contract';
import { password } from './people.ts';
import type { Sound } from './recordings.ts';

/** Requests to a server, as an external program sends them. */

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger's client would see; a trial says which fields it expects
  readonly body: any;
  readonly headers: Headers;
}

/** A response as reports show it: its status and, if there is one, its error code. */
export function codeOf({ status, body }: Answer): string {
  const identityCode = body.error?.message?.split(' : ')[0];
  return [status, body.code ?? identityCode].filter((part) => part !== undefined).join(' ');
}

/** `token` is an ID token. */
interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: BodyInit;
  /** sent as the body */
  readonly json?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** @throws TypeError when no server answers */
export async function ask(
  origin: string,
  method: string,
  path: string,
  { token, json, body = json && JSON.stringify(json), headers, signal }: RequestOptions = {},
): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      ...(json && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const { status, headers: answered } = response;
  return { status, headers: answered, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
}

/** A method of the identity service. */
export const askIdentity = (origin: string, method: string, json: object): Promise<Answer> =>
  ask(origin, 'POST', `/v1/accounts:${method}?key=trial`, { json });

const many = '1000000/3600';

/** Server settings without attempt limits, for trials that measure something else. */
export const withoutAttemptLimits = {
  SIGN_UP_LIMIT_PER_CLIENT: many,
  SIGN_IN_LIMIT_PER_CLIENT: many,
  SIGN_IN_LIMIT_PER_ADDRESS: many,
  REQUEST_LIMIT_PER_CLIENT: many,
} as const;

/** An account that is signed in. */
export interface SignedIn {
  readonly email: string;
  readonly refreshToken: string;
  /** ID token */
  token: string;
}

/** Creates an account, with `password`. @throws Error when it is refused */
export async function signUp(origin: string, email = `${randomUUID()}@example.org`): Promise<SignedIn> {
  const answer = await askIdentity(origin, 'signUp', { email, password, returnSecureToken: true });
  if (answer.status !== 200) throw new Error(`Sign-up was answered ${codeOf(answer)}`);
  return { email, refreshToken: answer.body.refreshToken, token: answer.body.idToken };
}

/** Creates an account. @returns its ID token */
export const signUpSomebody = async (origin: string): Promise<string> => (await signUp(origin)).token;

/** Starts another session of an account that `signUp` created. */
export const signIn = (origin: string, email: string): Promise<Answer> =>
  askIdentity(origin, 'signInWithPassword', { email, password, returnSecureToken: true });

/** Gets a new ID token for the session. */
export async function renewToken(origin: string, account: SignedIn, signal?: AbortSignal): Promise<Answer> {
  const answer = await ask(origin, 'POST', '/v1/token?key=trial', {
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: account.refreshToken }),
    ...(signal && { signal }),
  });
  if (answer.status === 200) account.token = answer.body.id_token;
  return answer;
}

/** A recording, or the id of an upload that arrived in pieces. */
type RecordingAsked = Sound | { readonly name: string; readonly buffer: Blob } | { readonly upload: string };

type PredictionAsked = RecordingAsked & {
  readonly token?: string | undefined;
  readonly key?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/** `POST /get_prediction`. */
export async function askPrediction(
  origin: string,
  { token, key, fields = {}, signal, ...recording }: PredictionAsked,
): Promise<Answer & { readonly body: Prediction }> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  if ('upload' in recording) form.append('upload', recording.upload);
  else form.append('file', new Blob([recording.buffer]), recording.name);
  const isOnDisk = 'buffer' in recording && recording.buffer instanceof Blob;
  // Put together beforehand if it is in memory: when a connection breaks while Node does that, it throws an error that nothing can catch.
  const whole = isOnDisk ? null : new Response(form);
  const type = whole?.headers.get('content-type');
  return ask(origin, 'POST', '/get_prediction', {
    token,
    body: (await whole?.bytes()) ?? form,
    headers: { ...(type && { 'content-type': type }), ...(key !== undefined && { 'idempotency-key': key }) },
    ...(signal && { signal }),
  });
}

interface TokenOptions {
  readonly token: string;
  readonly signal?: AbortSignal;
}

const tusHeaders = { 'tus-resumable': '1.0.0' } as const;

/** Recordings in pieces, with the tus protocol. */
export const tus = {
  /** Begins an upload of this many bytes; `pathOf` the answer. */
  begin: (origin: string, name: string, length: number, options: TokenOptions): Promise<Answer> =>
    ask(origin, 'POST', '/v1/uploads', {
      ...options,
      headers: { ...tusHeaders, 'upload-length': String(length), 'upload-metadata': `filename ${btoa(name)}` },
    }),
  pathOf: ({ headers }: Answer): string => new URL(headers.get('location') ?? '', 'http://anywhere').pathname,
  idOf: (path: string): string => path.split('/').at(-1) ?? '',
  /** Asks how much has arrived; `offsetOf` the answer. */
  look: (origin: string, path: string, options: TokenOptions): Promise<Answer> =>
    ask(origin, 'HEAD', path, { ...options, headers: tusHeaders }),
  send: (origin: string, path: string, offset: number, piece: Uint8Array<ArrayBuffer>, options: TokenOptions) =>
    ask(origin, 'PATCH', path, {
      ...options,
      body: new Blob([piece]),
      headers: { ...tusHeaders, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    }),
  /** NaN if the answer does not say how much has arrived. */
  offsetOf: ({ headers }: Answer): number => Number(headers.get('upload-offset') ?? Number.NaN),
};

/**
 * Reads the events of a prediction (`GET /v1/predictions/ID/events`) as they arrive, until the server ends the stream.
 *
 * @returns false when the prediction does not exist (yet)
 * @throws TypeError when the connection breaks, the signal's reason when it aborts
 */
export async function followEvents(
  origin: string,
  key: string,
  { token, signal }: Required<TokenOptions>,
  onEvent: (event: PredictionEvent) => void,
): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const response = await fetch(`${origin}/v1/predictions/${key}/events`, { headers, signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    return false;
  }
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, type, data] = /^event: (.*)\ndata: (.*)$/m.exec(event) ?? [];
      if (data !== undefined) onEvent({ type, ...JSON.parse(data) });
    }
  }
  return true;
}
