import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { Database } from '../../database/database.ts';
import { createMemoryLimiter, type Limiter } from '../../http/limits/limiters.ts';
import { moveClock } from '../../testing/move-clock.ts';
import { dropTestDatabase, openTestDatabase } from '../../testing/test-database.ts';
import { createSignOuts } from '../accounts/sign-outs.ts';
import type { EmbeddedIdentityOptions } from '../embedded-parts.ts';
import { createDevMailbox, type DevMailbox } from '../mail/mailer.ts';
import { type EmbeddedIdentity, openEmbeddedIdentity } from '../open-embedded-identity.ts';
import { identityRoutes } from '../routes/identity-routes.ts';
import { KEYS_FOLDER_NAME, openKeyFolder } from '../tokens/key-folder.ts';

/** Cheap hashing, for tests that are not about it. */
export const cheapPasswords = { cost: { memoryKib: 64, passes: 1, lanes: 1 } } as const;

/** The only origin in `ALLOWED_ORIGINS`. */
export const configuredOrigin = 'https://configured.example';

const many = { points: 1_000_000, windowSeconds: 3600 };
export const noLimits = {
  signInPerAddress: many,
  signInPerClient: many,
  signUpPerClient: many,
  codeMailPerAddress: many,
  codeMailPerClient: many,
  wrongCodePerClient: many,
  refreshPerClient: many,
} as const;

/** An identity service on a free port, with its own data folder and its mails in memory. */
export interface IdentityServer {
  readonly origin: string;
  readonly app: FastifyInstance;
  readonly identity: EmbeddedIdentity;
  readonly database: Database;
  readonly mailbox: DevMailbox;
  /** ids of accounts that `onAccountDeleted` was called for */
  readonly forgotten: string[];
  /** lines of the log */
  readonly logLines: string[];
  /** Moves the clock of this process, until the test ends. */
  advance(seconds: number): void;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
}

/** A response of any kind; each test checks the fields it expects. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger's client would see, before anything is known about it
  readonly body: any;
  /** `error.message` */
  readonly message: string | undefined;
}

export interface IdentityServerOptions {
  readonly options?: Partial<EmbeddedIdentityOptions>;
  /** kept by the caller, to start again with the same data */
  readonly folder?: string;
  readonly wrongSecrets?: Limiter;
  readonly register?: (app: FastifyInstance, identity: EmbeddedIdentity) => Promise<void>;
}

export async function startIdentityServer({
  options = {},
  folder,
  wrongSecrets = createMemoryLimiter('wrongSecrets', many),
  register,
}: IdentityServerOptions = {}): Promise<IdentityServer> {
  const dataDir = folder ?? mkdtempSync(join(tmpdir(), 'chiffchaff-identity-'));
  const database = await openTestDatabase(dataDir);
  const mailbox = createDevMailbox();
  const forgotten: string[] = [];
  const logLines: string[] = [];
  let offsetMs = 0;
  let origin = '';
  const app = fastify({
    logger: {
      level: 'trace',
      stream: { write: (line: string) => void logLines.push(line) },
      // As in the whole server: never log the query.
      serializers: { req: ({ method, url }) => ({ method, path: url.split('?', 1)[0] }) },
    },
  });
  const identity = await openEmbeddedIdentity({
    database,
    projectId: 'chiffchaff',
    signOuts: createSignOuts(),
    openKeys: () => openKeyFolder(join(dataDir, KEYS_FOLDER_NAME)),
    publicUrl: () => origin,
    continueOrigins: [],
    apiKey: null,
    adminSecret: null,
    idTokenTtlSeconds: 3600,
    sessionIdleDays: 180,
    enumerationProtection: true,
    signUp: 'open',
    mailer: mailbox,
    passwords: cheapPasswords,
    limits: noLimits,
    onAccountDeleted: async (accountId) => void forgotten.push(accountId),
    onAccountEnded: async () => {},
    exportParts: [],
    log: app.log,
    ...options,
  });
  await app.register(identityRoutes, { identity, wrongSecrets, allowedOrigins: [configuredOrigin] });
  await register?.(app, identity);
  origin = await app.listen({ host: '127.0.0.1', port: 0 });

  return {
    origin,
    app,
    identity,
    database,
    mailbox,
    forgotten,
    logLines,
    advance: (seconds) => {
      offsetMs += seconds * 1000;
      moveClock(offsetMs);
    },
    post: (path, body, headers) => post(origin, path, body, headers),
    close: async () => {
      await app.close();
      await identity.close();
      await database.close();
      if (folder !== undefined) return;
      await dropTestDatabase(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export async function post(
  origin: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const url = `${origin}${path}${path.includes('?') ? '' : '?key=test-key'}`;
  const isText = typeof body === 'string';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: isText ? body : JSON.stringify(body),
  });
  return answerOf(response);
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body = isJson ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body, message: body?.error?.message };
}
