import {
  createRemoteJWKSet,
  errors,
  type JWTClaimVerificationOptions,
  type JWTVerifyGetKey,
  jwtVerify,
  UnsecuredJWT,
} from 'jose';
import { IdentityUnavailable } from '../authentication.ts';
import { IdentityError } from '../identity-error.ts';
import { createTokenReader, type IdTokenClaims } from '../tokens/id-tokens.ts';

export const GOOGLE_KEYS_URL = 'https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com';

/** Keys are fetched again after this time, and when a token names an unknown key, so that a rotation is noticed at once. */
const KEYS_MAX_AGE_MS = 3_600_000;
const DEFAULT_KEYS_COOLDOWN_MS = 30_000;
/** How much the clocks of two machines may differ. */
const CLOCK_TOLERANCE_SECONDS = 5;

export interface FirebaseTokenOptions {
  readonly projectId: string;
  readonly keysUrl: string;
  /** Minimum time between two fetches of the keys. */
  readonly keysCooldownMs?: number;
}

/**
 * Verifies ID tokens of Google's service: signed with RS256 by one of Google's published keys, and issued for this project.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED; IdentityUnavailable when the keys cannot be fetched
 */
export function createFirebaseTokenReader({
  projectId,
  keysUrl,
  keysCooldownMs = DEFAULT_KEYS_COOLDOWN_MS,
}: FirebaseTokenOptions): (idToken: string) => Promise<IdTokenClaims> {
  const keys = createRemoteJWKSet(new URL(keysUrl), { cacheMaxAge: KEYS_MAX_AGE_MS, cooldownDuration: keysCooldownMs });

  const findKey: JWTVerifyGetKey = async (header, token) => {
    if (header.kid === undefined) throw new IdentityError('INVALID_ID_TOKEN');
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSNoMatchingKey) throw new IdentityError('INVALID_ID_TOKEN', null, { cause });
      throw new IdentityUnavailable("The identity service's keys cannot be fetched", { cause });
    }
  };

  const open = (idToken: string, expected: JWTClaimVerificationOptions) =>
    jwtVerify(idToken, findKey, { algorithms: ['RS256'], ...expected });
  return createForeignReader(projectId, open);
}

/**
 * Reads ID tokens of the Firebase Auth emulator, which are not signed and prove nothing. For development and tests only.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED
 */
export const createEmulatorTokenReader = (projectId: string) =>
  createForeignReader(projectId, (idToken, expected) => UnsecuredJWT.decode(idToken, expected));

/** Another machine issued the token: its times must not be in the future. */
function createForeignReader(...given: Parameters<typeof createTokenReader>): (idToken: string) => Promise<IdTokenClaims> {
  const read = createTokenReader(...given);
  return async (idToken) => {
    const claims = await read(idToken);
    const latest = Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS;
    if (claims.issuedAtSeconds > latest || claims.authTimeSeconds > latest) throw new IdentityError('INVALID_ID_TOKEN');
    return claims;
  };
}
