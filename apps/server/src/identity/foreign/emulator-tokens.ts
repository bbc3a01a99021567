import { UnsecuredJWT } from 'jose';
import { type IdTokenClaims, issuerOf, readForeignClaims } from '../tokens/id-token-claims.ts';
import { asRefusal } from '../tokens/id-tokens.ts';

export interface EmulatorTokenOptions {
  readonly projectId: string;
  /** milliseconds since 1970 */
  readonly now: () => number;
}

/**
 * Reads ID tokens of the Firebase Auth emulator, which are not signed: they prove nothing. For development and tests alone.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED
 */
export function createEmulatorTokenReader({ projectId, now }: EmulatorTokenOptions): (idToken: string) => Promise<IdTokenClaims> {
  return async (idToken) => {
    try {
      const { payload } = UnsecuredJWT.decode(idToken, {
        issuer: issuerOf(projectId),
        audience: projectId,
        currentDate: new Date(now()),
      });
      return readForeignClaims(payload, now());
    } catch (error) {
      throw asRefusal(error);
    }
  };
}
