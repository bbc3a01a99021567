import type { TokenScope } from '@chiffchaff/contract';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/**
 * Who may call a route. `signedIn` asks `authenticate`. `signedInOrTicket` does so, too, but for a request that brings a ticket in its address: that
 * the route checks by itself, because only it knows what for.
 */
export type Access = 'public' | 'signedIn' | 'signedInOrTicket';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may call it; one that does not keeps the server from starting. */
    access?: Access;
    /** API tokens with any of these scopes may call it, too. None by default: what a route does not name, no API token opens. */
    tokenScopes?: readonly TokenScope[];
  }
}

/** Throws SIGN_IN_REQUIRED, SESSION_EXPIRED, API_TOKEN_INVALID or API_TOKEN_NOT_ALLOWED unless the request is signed in. */
export type Authenticate = (request: FastifyRequest) => Promise<void>;

/**
 * Deny by default: a server with a route that has not declared its access does not start.
 *
 * Routes of plugins, which cannot declare any, are registered below `declarePublic`.
 */
export function requireDeclaredAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
    // What @fastify/cors answers preflights with; it tells nothing but which origins may call.
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { ...route.config, access: 'public' };
  });
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(({ config }) => config?.access === undefined);
    if (undeclared.length === 0) return;
    throw new Error(`Routes without declared access: ${undeclared.map(({ method, url }) => `${method} ${url}`).join(', ')}`);
  });
}

/** Enforces the access that the route declares. */
export function guardAccess(app: FastifyInstance, authenticate: Authenticate): void {
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config;
    if (request.is404 || access === 'public') return;
    if (access === 'signedInOrTicket' && ticketOf(request) !== null) return;
    await authenticate(request);
  });
}

/** The ticket that a request brings in place of a token, as it stands in its address, unchecked. */
export function ticketOf({ headers, query }: FastifyRequest): string | null {
  if (headers.authorization !== undefined) return null;
  const ticket = typeof query === 'object' && query !== null && 'ticket' in query ? query.ticket : undefined;
  return typeof ticket === 'string' ? ticket : null;
}

/** Declares what the plugins registered below this scope serve as public. */
export function declarePublic(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
}
