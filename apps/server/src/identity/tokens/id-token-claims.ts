import { z } from 'zod';
import { IdentityError } from '../identity-error.ts';
import type { Principal } from '../principal.ts';

/** The claims of an ID token. The tokens of foreign services do not name their session. */
export interface IdTokenClaims extends Omit<Principal, 'tokenId' | 'endsAtMs'> {
  readonly issuedAtSeconds: number;
}

/** How much the clocks of two machines may differ. */
export const CLOCK_TOLERANCE_SECONDS = 5;

/** `iss` of every ID token of a project. */
export const issuerOf = (projectId: string): string => `https://securetoken.google.com/${projectId}`;

const payloadSchema = z.object({
  sub: z.string().min(1).max(128),
  auth_time: z.int(),
  iat: z.int(),
  exp: z.int(),
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  name: z.string().optional(),
  sid: z.string().optional(),
});

/**
 * Reads the claims of a payload whose signature (or expected lack of one), issuer and audience have been checked. An issue time in the
 * future is accepted in our own tokens: this server's clock was ahead then and has been set back since.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED
 */
export function readIdTokenClaims(payload: unknown, nowMs: number): IdTokenClaims {
  const read = payloadSchema.safeParse(payload);
  if (!read.success) throw new IdentityError('INVALID_ID_TOKEN', null, { cause: read.error });
  const { sub, auth_time, iat, exp, email, email_verified, name, sid } = read.data;
  if (exp <= nowMs / 1000) throw new IdentityError('TOKEN_EXPIRED');
  return {
    accountId: sub,
    email: email ?? null,
    emailVerified: email_verified ?? false,
    displayName: name ?? null,
    authTimeSeconds: auth_time,
    issuedAtSeconds: iat,
    sessionId: sid ?? null,
  };
}

/**
 * The same for a token that another machine issued: its times must not be in the future.
 *
 * @throws IdentityError INVALID_ID_TOKEN, TOKEN_EXPIRED
 */
export function readForeignClaims(payload: unknown, nowMs: number): IdTokenClaims {
  const claims = readIdTokenClaims(payload, nowMs);
  const latest = nowMs / 1000 + CLOCK_TOLERANCE_SECONDS;
  if (claims.issuedAtSeconds > latest || claims.authTimeSeconds > latest) throw new IdentityError('INVALID_ID_TOKEN');
  return claims;
}
