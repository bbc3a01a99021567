import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../command-error.ts';
import { createToken, refusalOf, tokenRefusal } from './guard.ts';
import type { PageFile } from './page-files.ts';

/** Handles a call from the page; its result is sent as JSON. @throws CallError */
export type Call = (body: unknown) => Promise<unknown>;

/** What the page may request. */
export interface ReviewAnswers {
  /** `/review/NAME`: GET without a body, or POST with JSON */
  readonly calls: Readonly<Record<string, { readonly method: 'GET' | 'POST'; readonly call: Call }>>;
  /** `/review/clips/ID`: a WAV file and its length; null when there is no such detection. @throws CallError */
  readonly clip: (id: number) => Promise<{ readonly wave: Buffer; readonly seconds: number } | null>;
  readonly page: ReadonlyMap<string, () => Promise<PageFile>>;
}

/** Refuses a call; the message is for the user. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly status: 400 | 404 | 409 | 422;
  constructor(status: 400 | 404 | 409 | 422, message: string) {
    super(message);
    this.status = status;
  }
}

/** The server of one review, for this machine alone. */
export interface ReviewServer extends AsyncDisposable {
  /** address of the page; the token is in its fragment, which browsers do not send */
  readonly address: string;
  readonly port: number;
  readonly token: string;
}

const MOST_BODY_BYTES = 16_384;

/** Nothing from other origins, and nothing inline but the styles that React sets on elements. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "worker-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' blob:"],
  ...['media-src blob:', "font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves a review on 127.0.0.1, on a free port. The page's own files need no token; recordings and labels do, in a header that other pages
 * cannot send.
 */
export async function startReviewServer(answers: ReviewAnswers): Promise<ReviewServer> {
  const token = createToken();
  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 30_000 }, (request, response) => {
    const { port } = server.address() as AddressInfo;
    response.setHeader('cache-control', 'no-store');
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cross-origin-resource-policy', 'same-origin');
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('content-security-policy', POLICY);
    // The raw text, not a URL made of it, which would resolve `..` and `%2e` first.
    const path = request.url ?? '';
    const refused = refusalOf(request, port) ?? (path.startsWith('/review/') ? tokenRefusal(request, token) : null);
    if (refused) return say(response, refused.status, refused.message);
    answer(request, response, answers).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof CallError) say(response, error.status, error.message);
      else say(response, 500, error instanceof CommandError ? error.message : 'Something went wrong in the command.');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/#${token}`,
    port,
    token,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, { calls, clip, page }: ReviewAnswers): Promise<void> {
  const path = request.url ?? '';
  const [, id] = /^\/review\/clips\/(\d{1,7})$/.exec(path) ?? [];
  const [, name = ''] = /^\/review\/([a-z]+)$/.exec(path) ?? [];
  const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
  const file = page.get(path);
  const method = call?.method ?? 'GET';
  if (id === undefined && !call && !file) return say(response, 404, 'There is nothing at this address.');
  if (request.method !== method) return say(response, 405, `This address takes ${method}.`);
  if (call) {
    const result = await call.call(method === 'POST' ? await bodyOf(request) : undefined);
    return send(response, Buffer.from(JSON.stringify(result)), 'application/json; charset=utf-8');
  }
  if (file) {
    const { bytes, type } = await file();
    return send(response, bytes, type);
  }
  const sound = await clip(Number(id));
  if (sound === null) return say(response, 404, 'There is no such detection.');
  response.setHeader('x-duration-seconds', sound.seconds);
  return send(response, sound.wave, 'audio/wav');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') throw new CallError(400, 'A call takes JSON.');
  let text = '';
  for await (const piece of request.setEncoding('utf8')) {
    text += piece;
    if (text.length > MOST_BODY_BYTES) throw new CallError(400, 'That is more than a call takes.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CallError(400, 'That is no JSON.');
  }
}

function send(response: ServerResponse, bytes: Buffer, type: string): void {
  response.setHeader('content-type', type);
  response.setHeader('content-length', bytes.length);
  response.end(bytes);
}

function say(response: ServerResponse, status: number, message: string): void {
  response.statusCode = status;
  send(response, Buffer.from(JSON.stringify({ message })), 'application/json; charset=utf-8');
}
