import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const PREFLIGHT_SECONDS = 3600;
const HEADERS_WITHOUT_PREFLIGHT =
  'content-type,authorization,x-client-version,x-firebase-client,x-firebase-gmpid,x-firebase-locale,x-firebase-appcheck,x-goog-api-key';

/**
 * Lets pages of every origin read the responses, errors included: identity calls carry their credentials in the body and use no cookies, so
 * an origin proves nothing. Runs before anything can fail.
 */
export async function allowEveryOrigin(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('access-control-allow-origin', '*').header('vary', 'Origin');
  reply.header('cross-origin-resource-policy', 'cross-origin');
}

/** Answers a preflight, which carries neither key nor body to check. */
async function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply, allowedOrigins: readonly string[]) {
  const asked = headers['access-control-request-headers'];
  // Echoed only if it is a list of header names.
  const allowed = asked !== undefined && /^[\w\s,-]{1,1000}$/.test(asked) ? asked : HEADERS_WITHOUT_PREFLIGHT;
  reply
    .header('access-control-allow-methods', 'GET, POST, OPTIONS')
    .header('access-control-allow-headers', allowed)
    .header('access-control-max-age', String(PREFLIGHT_SECONDS));
  // A page on the internet may reach a server in its visitor's home network only if the operator named its origin: any other page
  // could find such servers through its visitors' browsers.
  if (headers['access-control-request-private-network'] === 'true' && allowedOrigins.includes(headers.origin ?? '')) {
    reply.header('access-control-allow-private-network', 'true');
  }
  return reply.code(204).send();
}

/** @param allowedOrigins origins whose pages may reach this server in a private network from outside it */
export function servePreflights(app: FastifyInstance, urls: Iterable<string>, allowedOrigins: readonly string[]): void {
  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  for (const url of urls) app.options(url, options, (request, reply) => answerPreflight(request, reply, allowedOrigins));
}
