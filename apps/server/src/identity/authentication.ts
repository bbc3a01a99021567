import type { FastifyRequest } from 'fastify';
import type {} from '../http/access.ts';
import { HttpProblem } from '../http/http-problem.ts';
import { type ApiTokens, isApiToken } from './api-tokens/api-tokens.ts';
import { IdentityError } from './identity-error.ts';
import type { Principal } from './principal.ts';

/**
 * Verifies an ID token and checks the current state of its account.
 *
 * @throws IdentityError when the token or its account is not valid
 * @throws IdentityUnavailable when the identity service cannot be asked
 */
export type VerifyIdToken = (idToken: string) => Promise<Principal>;

/** The foreign identity service cannot be reached, or its answer is unusable. */
export class IdentityUnavailable extends Error {
  override readonly name = 'IdentityUnavailable';
}

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * Reads `Authorization: Bearer <ID token or API token>` and remembers the principal for the lifetime of the request. An API token is
 * accepted only on routes that list one of its scopes.
 */
export function createAuthentication(verify: VerifyIdToken, verifyApiToken: ApiTokens['verify']) {
  const principals = new WeakMap<FastifyRequest, Principal>();

  /**
   * For public routes: the principal of the request's token, or null if it sends none.
   *
   * @throws HttpProblem SESSION_EXPIRED, API_TOKEN_INVALID, API_TOKEN_NOT_ALLOWED, IDENTITY_UNAVAILABLE
   */
  async function identify(request: FastifyRequest): Promise<Principal | null> {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) return null;
    const { tokenScopes = [] } = request.routeOptions.config;
    const principal = await (isApiToken(bearer) ? verifyApiToken(bearer, tokenScopes) : readIdToken(bearer));
    principals.set(request, principal);
    return principal;
  }

  async function readIdToken(idToken: string): Promise<Principal> {
    try {
      return await verify(idToken);
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
    /** @throws HttpProblem SIGN_IN_REQUIRED, and what `identify` throws */
    authenticate: async (request: FastifyRequest): Promise<void> => void demand(await identify(request)),
    identify,
    /** The principal that `authenticate` or `identify` found for the request; null if there is none. */
    principalOf: (request: FastifyRequest): Principal | null => principals.get(request) ?? null,
    /** @throws HttpProblem SIGN_IN_REQUIRED */
    requirePrincipal: (request: FastifyRequest): Principal => demand(principals.get(request)),
  };
}
