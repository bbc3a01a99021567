import { randomUUID } from 'node:crypto';
import { type Answer, ask, askIdentity, codeOf } from './api.ts';
import { password } from './people.ts';

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
