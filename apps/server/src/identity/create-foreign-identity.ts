/** Identity for accounts of another service; `open-identity.ts` opens it. The other mode is `open-embedded-identity.ts`. */
import { z } from 'zod';
import { createRecentValues } from '../recent-values.ts';
import { createAccountDeletion } from './accounts/account-deletion.ts';
import { createSessions } from './accounts/sessions.ts';
import { createApiTokens } from './api-tokens/api-tokens.ts';
import { createAuthentication, IdentityUnavailable } from './authentication.ts';
import type { CommonIdentityOptions } from './embedded-parts.ts';
import { createEmulatorTokenReader, createFirebaseTokenReader, GOOGLE_KEYS_URL } from './foreign/foreign-tokens.ts';
import { IdentityError, isRefusal } from './identity-error.ts';
import type { Identity } from './open-embedded-identity.ts';
import { hashSecret } from './secret-token.ts';

export interface ForeignIdentityOptions extends CommonIdentityOptions {
  readonly mode: 'firebase' | 'emulator';
  /** `https://identitytoolkit.googleapis.com`, or an emulator's address with that name as its path */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the service publishes its token keys; Google's by default. Not used in emulator mode. */
  readonly keysUrl?: string;
  /** Whether this is a production deployment, which refuses the emulator. */
  readonly production: boolean;
}

/**
 * Identity for deployments whose accounts live at Google/Firebase or in the Firebase Auth emulator. This server then has no identity
 * routes; it only checks ID tokens, with account states from the service that are at most a minute old.
 */
export function createForeignIdentity(options: ForeignIdentityOptions): Identity {
  const { mode, database, projectId, signOuts, log, keysUrl = GOOGLE_KEYS_URL } = options;
  if (mode === 'emulator' && options.production)
    throw new Error('Unsigned tokens from the emulator are never accepted in production.');
  const readToken =
    mode === 'firebase' ? createFirebaseTokenReader({ projectId, keysUrl }) : createEmulatorTokenReader(projectId);
  const checkAccount = createAccountCheck(options);

  const apiTokens = createApiTokens({ database, sessions: null, signOuts });
  const authentication = createAuthentication(async (idToken) => {
    const { issuedAtSeconds, ...principal } = await readToken(idToken);
    await checkAccount(idToken).catch(async (error: unknown) => {
      // The service does not notify this server of disabled or deleted accounts.
      if (isRefusal(error, 'USER_DISABLED', 'USER_NOT_FOUND')) await apiTokens.endAll(principal.accountId);
      throw error;
    });
    return { ...principal, sessionId: null };
  }, apiTokens.verify);
  // This mode has no sessions, but account deletion calls `sessions.end`, which also revokes API tokens.
  const sessions = createSessions({ projectId, idleDays: 1, signOuts });
  const { onAccountDeleted } = options;
  const deletion = createAccountDeletion({ database, sessions, onAccountDeleted, accountsStay: true, log });
  const maintain = (): Promise<void> =>
    Promise.all([apiTokens.purge(), deletion.resume()]).then(
      () => {},
      (error: unknown) => {
        log.error({ err: error }, 'unfinished deletions could not be looked up; the next clean-up will try again');
      },
    );
  // Runs in the background while requests are served.
  const resumed = maintain();

  return {
    ...authentication,
    isStillSignedIn: async ({ tokenId }) => tokenId === undefined || (await apiTokens.holds(tokenId)),
    apiTokens,
    database,
    deletion,
    signOuts,
    maintain,
    sessions: null,
    exportParts: options.exportParts,
    close: () => resumed,
  };
}

/** A disabled or deleted account is noticed within this time. */
const CACHE_MS = 60_000;
const MAX_CACHED = 10_000;
const TIMEOUT_MS = 10_000;

const answerSchema = z.object({ users: z.array(z.object({ disabled: z.boolean().optional() })).min(1) });
const errorSchema = z.object({ error: z.object({ message: z.string() }) });
const refusals = ['USER_DISABLED', 'USER_NOT_FOUND', 'TOKEN_EXPIRED', 'INVALID_ID_TOKEN'] as const;

/**
 * Asks a foreign identity service whether the account of an ID token is still valid.
 *
 * @throws IdentityError USER_DISABLED, USER_NOT_FOUND, TOKEN_EXPIRED, INVALID_ID_TOKEN
 * @throws IdentityUnavailable when the service does not answer, or answers unexpectedly
 */
function createAccountCheck({ baseUrl, apiKey }: ForeignIdentityOptions): (idToken: string) => Promise<void> {
  const url = `${baseUrl.replace(/\/$/, '')}/v1/accounts:lookup?key=${encodeURIComponent(apiKey)}`;
  /** By hash of the token, so that no token stays in memory. Concurrent requests share one lookup. */
  const cache = createRecentValues<{ readonly untilMs: number; readonly answer: Promise<void> }>(MAX_CACHED);

  async function ask(idToken: string): Promise<void> {
    const { ok, body } = await lookUp(url, idToken);
    if (ok) {
      const read = answerSchema.safeParse(body);
      if (!read.success) throw new IdentityUnavailable('The identity service sent an unexpected answer', { cause: read.error });
      if (read.data.users[0]?.disabled) throw new IdentityError('USER_DISABLED');
      return;
    }
    const message = errorSchema.safeParse(body).data?.error.message ?? '';
    const refusal = refusals.find((code) => code === message.split(' : ', 1)[0]);
    if (refusal !== undefined) throw new IdentityError(refusal);
    throw new IdentityUnavailable(`The identity service refused the request: ${message.slice(0, 100)}`);
  }

  return (idToken) => {
    const key = hashSecret(idToken);
    const cached = cache.get(key);
    if (cached !== undefined && cached.untilMs > Date.now()) return cached.answer;
    const answer = ask(idToken);
    cache.set(key, { untilMs: Date.now() + CACHE_MS, answer });
    answer.catch((error: unknown) => {
      // The next request retries a failed lookup.
      if (!(error instanceof IdentityError)) cache.delete(key);
    });
    return answer;
  };
}

async function lookUp(url: string, idToken: string): Promise<{ ok: boolean; body: unknown }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ idToken }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { ok: response.ok, body: await response.json() };
  } catch (cause) {
    throw new IdentityUnavailable('The identity service did not answer', { cause });
  }
}
