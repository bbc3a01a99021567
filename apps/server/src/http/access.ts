import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';

/** Who may call a route. `signedIn` asks `authenticate`. */
export type Access = 'public' | 'signedIn';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says who may call it; one that does not keeps the server from starting. */
    access?: Access;
  }
}

/** Throws SIGN_IN_REQUIRED or SESSION_EXPIRED unless the request comes from somebody who is signed in. */
export type Authenticate = (request: FastifyRequest) => Promise<void>;

/**
 * Deny by default: nothing is served by a route that has not declared its access.
 *
 * Routes of plugins, which cannot declare any, are registered below `declarePublic`.
 */
export function guardAccess(app: FastifyInstance, authenticate: Authenticate): void {
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
  app.addHook('onRequest', async (request) => {
    if (request.is404 || request.routeOptions.config.access === 'public') return;
    await authenticate(request);
  });
}

/** Declares what the plugins registered below this scope serve as open to everybody. */
export function declarePublic(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
}
