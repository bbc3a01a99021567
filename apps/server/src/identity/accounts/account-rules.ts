import { hasHiddenCharacters, type IdentityErrorCode, identityLimits, isEmailAddress } from '@chiffchaff/contract';
import { IdentityError } from '../identity-error.ts';

/** What an account may hold, purely. Every rule throws the refusal that Identity Toolkit's clients know. */

const PHOTO_URL_MAX_LENGTH = 2048;

/** Lower case, as addresses are compared and kept. @throws IdentityError INVALID_EMAIL, or the code given */
export function readEmail(text: string, refusal: IdentityErrorCode = 'INVALID_EMAIL'): string {
  if (!isEmailAddress(text)) throw new IdentityError(refusal);
  return text.toLowerCase();
}

/** Checks a password that is to be set. Passwords are never trimmed. @throws IdentityError WEAK_PASSWORD, PASSWORD_DOES_NOT_MEET_REQUIREMENTS */
export function checkNewPassword(password: string): void {
  const { passwordMinLength, passwordMaxLength } = identityLimits;
  if (password.length < passwordMinLength) {
    throw new IdentityError('WEAK_PASSWORD', `Password should be at least ${passwordMinLength} characters`);
  }
  if (password.length > passwordMaxLength) {
    throw new IdentityError(
      'PASSWORD_DOES_NOT_MEET_REQUIREMENTS',
      `Missing password requirements: [Password may contain at most ${passwordMaxLength} characters]`,
    );
  }
}

/** A name to be shown: null for the empty one, which clears it. @throws IdentityError INVALID_DISPLAY_NAME */
export function readDisplayName(text: string): string | null {
  const name = text.trim();
  if (name.length > identityLimits.displayNameMaxLength) {
    throw new IdentityError(
      'INVALID_DISPLAY_NAME',
      `A display name can have at most ${identityLimits.displayNameMaxLength} characters`,
    );
  }
  // A name with line breaks or turned text could pose as more than a name wherever it is printed.
  if (hasHiddenCharacters(name))
    throw new IdentityError('INVALID_DISPLAY_NAME', 'A display name cannot contain invisible characters');
  return name === '' ? null : name;
}

/** The address of a picture: null for the empty one, which clears it. @throws IdentityError INVALID_PHOTO_URL */
export function readPhotoUrl(text: string): string | null {
  if (text === '') return null;
  const isWebAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isWebAddress || text.length > PHOTO_URL_MAX_LENGTH || /[\p{Cc}\s]/u.test(text)) {
    throw new IdentityError('INVALID_PHOTO_URL', 'The photo URL must be an absolute http or https address');
  }
  return text;
}

/**
 * Where a mail's link leads on to.
 *
 * @param allowedOrigins origins whose pages may be led to
 * @returns the address as the browser will read it, so that what was checked is what is followed
 * @throws IdentityError INVALID_CONTINUE_URI, UNAUTHORIZED_DOMAIN
 */
export function readContinueUrl(text: string, allowedOrigins: readonly string[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new IdentityError('INVALID_CONTINUE_URI', 'The continue URL must be an absolute http or https address');
  }
  if (!allowedOrigins.includes(url.origin)) {
    throw new IdentityError('UNAUTHORIZED_DOMAIN', 'This server does not allow the domain of the continue URL');
  }
  return url.href;
}

/** Names that ID tokens use themselves. */
const reservedClaims = new Set(
  'acr amr at_hash aud auth_time azp c_hash cnf email email_verified exp firebase iat iss jti name nbf nonce phone_number picture sid sub user_id'.split(
    ' ',
  ),
);
const CLAIMS_MAX_LENGTH = 1000;

/** Custom claims that an operator gives, as JSON. @throws IdentityError INVALID_CLAIMS, CLAIMS_TOO_LARGE, FORBIDDEN_CLAIM */
export function readCustomClaims(json: string): string | null {
  if (json.length > CLAIMS_MAX_LENGTH) throw new IdentityError('CLAIMS_TOO_LARGE');
  let claims: unknown;
  try {
    claims = JSON.parse(json);
  } catch (cause) {
    throw new IdentityError('INVALID_CLAIMS', null, { cause });
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw new IdentityError('INVALID_CLAIMS');
  const forbidden = Object.keys(claims).find((name) => reservedClaims.has(name));
  if (forbidden !== undefined) throw new IdentityError('FORBIDDEN_CLAIM', forbidden);
  return Object.keys(claims).length === 0 ? null : JSON.stringify(claims);
}

/** How long after giving the password an account may be changed in what guards it. */
const RECENT_SIGN_IN_SECONDS = 300;

/** @throws IdentityError CREDENTIAL_TOO_OLD_LOGIN_AGAIN */
export function requireRecentSignIn(authTimeSeconds: number, nowMs: number): void {
  // A sign-in that lies ahead was before the clock was set back, and how long before is not known.
  if (Math.abs(nowMs / 1000 - authTimeSeconds) > RECENT_SIGN_IN_SECONDS)
    throw new IdentityError('CREDENTIAL_TOO_OLD_LOGIN_AGAIN');
}
