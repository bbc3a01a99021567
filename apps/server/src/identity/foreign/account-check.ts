import { z } from 'zod';
import { createRecentValues } from '../../recent-values.ts';
import { IdentityUnavailable } from '../authentication.ts';
import { IdentityError } from '../identity-error.ts';
import { hashSecret } from '../secret-token.ts';

export interface AccountCheckOptions {
  /** `https://identitytoolkit.googleapis.com`, or an emulator's address with that name as its path */
  readonly baseUrl: string;
  readonly apiKey: string;
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
export function createAccountCheck({ baseUrl, apiKey }: AccountCheckOptions): (idToken: string) => Promise<void> {
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
