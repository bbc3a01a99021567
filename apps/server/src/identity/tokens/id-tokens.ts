import {
  errors,
  type JWTClaimVerificationOptions,
  type JWTHeaderParameters,
  type JWTVerifyResult,
  jwtVerify,
  SignJWT,
} from 'jose';
import { z } from 'zod';
import type { Account } from '../accounts/account-store.ts';
import type { Session } from '../accounts/sessions.ts';
import { IdentityError } from '../identity-error.ts';
import type { Principal } from '../principal.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The account data in an ID token. */
type TokenSubject = Pick<Account, 'id' | 'email' | 'emailVerified' | 'displayName' | 'photoUrl' | 'customAttributes'>;

export type IdTokens = ReturnType<typeof createIdTokens>;

/** The claims of an ID token. The tokens of foreign services do not name their session. */
export interface IdTokenClaims extends Omit<Principal, 'tokenId' | 'endsAtMs'> {
  readonly issuedAtSeconds: number;
}

/** `iss` of every ID token of a project. */
const issuerOf = (projectId: string): string => `https://securetoken.google.com/${projectId}`;

interface IdTokenOptions {
  readonly keys: SigningKeys;
  readonly projectId: string;
  readonly ttlSeconds: number;
}

/** Issues and reads ID tokens like those of Google's token service, signed with RS256 by our keys. `sid` names the session. */
export function createIdTokens({ keys, projectId, ttlSeconds }: IdTokenOptions) {
  function verificationKey({ kid }: JWTHeaderParameters) {
    const key = kid === undefined ? undefined : keys.find(kid);
    if (key === undefined) throw new IdentityError('INVALID_ID_TOKEN');
    return key.publicKey;
  }

  return {
    ttlSeconds,
    issue: (subject: TokenSubject, session: Session): Promise<string> => {
      const { kid, privateKey } = keys.current();
      const nowSeconds = Math.floor(Date.now() / 1000);
      return new SignJWT({
        ...readClaims(subject.customAttributes),
        ...(subject.displayName === null ? {} : { name: subject.displayName }),
        ...(subject.photoUrl === null ? {} : { picture: subject.photoUrl }),
        auth_time: session.authTimeSeconds,
        user_id: subject.id,
        sid: session.id,
        email: subject.email,
        email_verified: subject.emailVerified,
        firebase: { identities: { email: [subject.email] }, sign_in_provider: 'password' },
      })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
        .setIssuer(issuerOf(projectId))
        .setAudience(projectId)
        .setSubject(subject.id)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + ttlSeconds)
        .sign(privateKey);
    },
    /**
     * Checks algorithm, key, signature, issuer, audience and times, in this order, but not the state of the account.
     *
     * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED
     */
    read: createTokenReader(projectId, (idToken, expected) =>
      jwtVerify(idToken, verificationKey, { algorithms: ['RS256'], ...expected }),
    ),
  };
}

type Opened = Pick<JWTVerifyResult, 'payload'>;

const payloadSchema = z.object({
  sub: z.string().min(1).max(128),
  auth_time: z.int(),
  iat: z.int(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
  sid: z.string().optional(),
});

/**
 * Creates a reader of ID tokens from a jose function that opens one. An issue time in the future is accepted: this server's clock may have
 * been ahead, and have been set back since.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED from the reader
 */
export function createTokenReader(
  projectId: string,
  open: (idToken: string, expected: JWTClaimVerificationOptions) => Promise<Opened> | Opened,
): (idToken: string) => Promise<IdTokenClaims> {
  const expected = { issuer: issuerOf(projectId), audience: projectId, requiredClaims: ['exp'] };
  return async (idToken) => {
    try {
      const { payload } = await open(idToken, { ...expected, currentDate: new Date(Date.now()) });
      const { sub, auth_time, iat, email, email_verified, name, sid } = payloadSchema.parse(payload);
      return {
        accountId: sub,
        email: email ?? null,
        emailVerified: email_verified ?? false,
        displayName: name ?? null,
        authTimeSeconds: auth_time,
        issuedAtSeconds: iat,
        sessionId: sid ?? null,
      };
    } catch (error) {
      throw asRefusal(error);
    }
  };
}

/** @returns errors of jose as IdentityErrors, other errors unchanged */
function asRefusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new IdentityError('TOKEN_EXPIRED', null, { cause: error });
  // jose reports a malformed token as one of its own errors or as a TypeError.
  if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof z.ZodError) {
    return new IdentityError('INVALID_ID_TOKEN', null, { cause: error });
  }
  return error;
}

function readClaims(customAttributes: string | null): Record<string, unknown> {
  const claims: unknown = customAttributes === null ? {} : JSON.parse(customAttributes);
  return typeof claims === 'object' && claims !== null ? { ...claims } : {};
}
