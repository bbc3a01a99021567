import { randomUUID } from 'node:crypto';
import { askIdentity } from './api.ts';
import { password } from './people.ts';

const many = '1000000/3600';

/** Server settings without attempt limits, for trials that measure something else. */
export const withoutAttemptLimits = {
  SIGN_UP_LIMIT_PER_CLIENT: many,
  SIGN_IN_LIMIT_PER_CLIENT: many,
  SIGN_IN_LIMIT_PER_ADDRESS: many,
  REQUEST_LIMIT_PER_CLIENT: many,
} as const;

/** Creates an account. @returns its ID token */
export async function signUpSomebody(origin: string): Promise<string> {
  const email = `${randomUUID()}@example.org`;
  const { status, body } = await askIdentity(origin, 'signUp', { email, password, returnSecureToken: true });
  if (status !== 200) throw new Error(`Sign-up was answered ${status} ${JSON.stringify(body)}`);
  return body.idToken;
}
