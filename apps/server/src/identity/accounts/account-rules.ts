import { hasHiddenCharacters, type IdentityErrorCode, identityLimits, isEmailAddress } from '@chiffchaff/contract';
import { IdentityError } from '../identity-error.ts';

/** Pure rules for the fields of an account. Each throws the error that Identity Toolkit's clients know. */

const PHOTO_URL_MAX_LENGTH = 2048;

/**
 * Checks an email address and returns it in lower case, as addresses are compared and stored.
 *
 * @throws IdentityError INVALID_EMAIL, or `refusal`
 */
export function readEmail(text: string, refusal: IdentityErrorCode = 'INVALID_EMAIL'): string {
  if (!isEmailAddress(text)) throw new IdentityError(refusal);
  return text.toLowerCase();
}

/** Checks a new password. Passwords are never trimmed. @throws IdentityError WEAK_PASSWORD, PASSWORD_DOES_NOT_MEET_REQUIREMENTS */
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

/** A trimmed display name; null for an empty one, which clears it. @throws IdentityError INVALID_DISPLAY_NAME */
export function readDisplayName(text: string): string | null {
  const name = text.trim();
  if (name.length > identityLimits.displayNameMaxLength) {
    throw new IdentityError(
      'INVALID_DISPLAY_NAME',
      `A display name can have at most ${identityLimits.displayNameMaxLength} characters`,
    );
  }
  // Line breaks or reversed text could make a name look like something else wherever it is printed.
  if (hasHiddenCharacters(name))
    throw new IdentityError('INVALID_DISPLAY_NAME', 'A display name cannot contain invisible characters');
  return name === '' ? null : name;
}

/** A picture's URL; null for an empty one, which clears it. @throws IdentityError INVALID_PHOTO_URL */
export function readPhotoUrl(text: string): string | null {
  if (text === '') return null;
  const isWebAddress = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isWebAddress || text.length > PHOTO_URL_MAX_LENGTH || /[\p{Cc}\s]/u.test(text)) {
    throw new IdentityError('INVALID_PHOTO_URL', 'The photo URL must be an absolute http or https address');
  }
  return text;
}

/**
 * Checks the URL that a link in a mail continues to.
 *
 * @param allowedOrigins origins that the URL may have
 * @returns the URL as browsers parse it, so that they follow exactly what was checked
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

/** Claims that ID tokens use themselves. */
const reservedClaims = new Set(
  'acr amr at_hash aud auth_time azp c_hash cnf email email_verified exp firebase iat iss jti name nbf nonce phone_number picture sid sub user_id'.split(
    ' ',
  ),
);
const CLAIMS_MAX_LENGTH = 1000;

/**
 * Checks custom claims from an operator, as JSON; null for none.
 *
 * @throws IdentityError INVALID_CLAIMS, CLAIMS_TOO_LARGE, FORBIDDEN_CLAIM
 */
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

/** How old the sign-in may be for sensitive changes to the account. */
const RECENT_SIGN_IN_SECONDS = 300;

/** @throws IdentityError CREDENTIAL_TOO_OLD_LOGIN_AGAIN */
export function requireRecentSignIn(authTimeSeconds: number, nowMs: number): void {
  // A sign-in in the future happened before the clock was set back; how long ago is unknown.
  if (Math.abs(nowMs / 1000 - authTimeSeconds) > RECENT_SIGN_IN_SECONDS)
    throw new IdentityError('CREDENTIAL_TOO_OLD_LOGIN_AGAIN');
}
