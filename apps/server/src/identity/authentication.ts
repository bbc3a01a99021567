import type { FastifyRequest } from 'fastify';
import { HttpProblem } from '../http/http-problem.ts';
import { IdentityError } from './identity-error.ts';

/** Who is asking, once their ID token and their account have been checked. */
export interface Principal {
  readonly accountId: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly displayName: string | null;
  /** when the password was given; seconds since 1970 */
  readonly authTimeSeconds: number;
  /** null with foreign identity services */
  readonly sessionId: string | null;
}

/**
 * Turns an ID token into whom it stands for, with the account as it is now.
 *
 * @throws IdentityError when the token or its account does not hold
 * @throws IdentityUnavailable when that cannot be told
 */
export type VerifyIdToken = (idToken: string) => Promise<Principal>;

/** The foreign identity service does not answer. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}

export interface Authentication {
  /** @throws HttpProblem SIGN_IN_REQUIRED, SESSION_EXPIRED, IDENTITY_UNAVAILABLE */
  authenticate(request: FastifyRequest): Promise<void>;
  /**
   * For public routes: the account of the request's token; null without one.
   *
   * @throws HttpProblem SESSION_EXPIRED, IDENTITY_UNAVAILABLE
   */
  identify(request: FastifyRequest): Promise<Principal | null>;
  /** Who was authenticated; null for a request of a public route. */
  principalOf(request: FastifyRequest): Principal | null;
  /** @throws HttpProblem SIGN_IN_REQUIRED */
  requirePrincipal(request: FastifyRequest): Principal;
}

/** Reads `Authorization: Bearer <ID token>` of a request and remembers whom it stands for as long as the request lives. */
export function createAuthentication(verify: VerifyIdToken): Authentication {
  const principals = new WeakMap<FastifyRequest, Principal>();

  async function identify(request: FastifyRequest): Promise<Principal | null> {
    const idToken = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (idToken === undefined) return null;
    try {
      const principal = await verify(idToken);
      principals.set(request, principal);
      return principal;
    } catch (error) {
      if (error instanceof IdentityError) throw new HttpProblem('SESSION_EXPIRED', {});
      if (error instanceof IdentityUnavailable) throw new HttpProblem('IDENTITY_UNAVAILABLE', {}, { cause: error });
      throw error;
    }
  }

  function demand(principal: Principal | null | undefined): Principal {
    if (!principal) throw new HttpProblem('SIGN_IN_REQUIRED', {});
    return principal;
  }

  return {
    authenticate: async (request) => void demand(await identify(request)),
    identify,
    principalOf: (request) => principals.get(request) ?? null,
    requirePrincipal: (request) => demand(principals.get(request)),
  };
}
