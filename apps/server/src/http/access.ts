import type { TokenScope } from '@chiffchaff/contract';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';

/**
 * Who may call a route. `signedIn` calls `authenticate`. So does `signedInOrTicket`, except for a request with a ticket in its URL: the
 * route checks the ticket itself, because only it knows what the ticket must be for.
 */
export type RouteAccess = 'public' | 'signedIn' | 'signedInOrTicket';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route must declare its access; otherwise the server does not start. */
    access?: RouteAccess;
    /** API tokens with any of these scopes may call the route too. None by default. */
    tokenScopes?: readonly TokenScope[];
  }
}

/** Options of a route: who may call it, and the schemas that check and document it. @param config what else it declares */
export const routeFor = <Schema extends FastifySchema>(
  access: RouteAccess,
  schema: Schema,
  config: Omit<FastifyContextConfig, 'access'> = {},
) => ({ schema, config: { ...config, access } });

/** Options of a route for accounts, also with an API token that may read. */
export const routeToRead = <Schema extends FastifySchema>(schema: Schema, access: RouteAccess = 'signedIn') =>
  routeFor(access, schema, { tokenScopes: ['read'] });

/** Throws SIGN_IN_REQUIRED, SESSION_EXPIRED, API_TOKEN_INVALID or API_TOKEN_NOT_ALLOWED unless the request is signed in. */
export type Authenticate = (request: FastifyRequest) => Promise<void>;

/**
 * Deny by default: the server does not start if a route has not declared its access.
 *
 * Register routes of plugins, which cannot declare it, below `declarePublic`.
 */
export function requireDeclaredAccess(app: FastifyInstance): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
    // @fastify/cors answers preflights with this route, which reveals only the allowed origins.
    if (route.method === 'OPTIONS' && route.url === '*') route.config = { ...route.config, access: 'public' };
  });
  app.addHook('onReady', async () => {
    const undeclared = routes.filter(({ config }) => config?.access === undefined);
    if (undeclared.length === 0) return;
    throw new Error(`Routes without declared access: ${undeclared.map(({ method, url }) => `${method} ${url}`).join(', ')}`);
  });
}

/** Enforces the access that the route declares. What an account gets is never cached, unless its route says otherwise. */
export function guardAccess(app: FastifyInstance, authenticate: Authenticate): void {
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (request.is404 || access === 'public') return;
    reply.header('cache-control', 'private, no-store');
    if (access === 'signedInOrTicket' && ticketOf(request) !== null) return;
    await authenticate(request);
  });
}

/** The ticket in the URL of a request without an Authorization header, unchecked; null if there is none. */
export function ticketOf({ headers, query }: FastifyRequest): string | null {
  if (headers.authorization !== undefined) return null;
  const ticket = typeof query === 'object' && query !== null && 'ticket' in query ? query.ticket : undefined;
  return typeof ticket === 'string' ? ticket : null;
}

/** Declares all routes of plugins registered below this scope as public. */
export function declarePublic(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
}
