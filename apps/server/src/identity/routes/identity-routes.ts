import type { FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Limiter } from '../../http/limits/limiters.ts';
import type { EmbeddedIdentity } from '../open-embedded-identity.ts';
import { serveAccountMethods } from './account-methods.ts';
import { requireAdminSecret, requireApiKey } from './api-key.ts';
import { serveCodeMethods } from './code-methods.ts';
import { isDevMailbox, serveDevMailbox } from './dev-mailbox-route.ts';
import { answerIdentityError, answerNotFound } from './error-envelope.ts';
import { allowEveryOrigin, servePreflights } from './every-origin.ts';
import { IDENTITY_PREFIX, serveMethods, TOKEN_PREFIX } from './method-routes.ts';
import { refuseWhatIsNotOffered } from './not-offered.ts';
import { serveOperatorMethods } from './operator-methods.ts';
import { servePublicKeys } from './public-key-routes.ts';
import { serveSignIn, serveTokenMethod } from './sign-in-methods.ts';
import { serveSmallReads } from './small-reads.ts';

export interface IdentityRoutesOptions {
  readonly identity: EmbeddedIdentity;
  /** counts wrong secrets of operators */
  readonly wrongSecrets: Limiter;
  /** `ALLOWED_ORIGINS`: origins whose pages may call this server in a private network from outside it. */
  readonly allowedOrigins: readonly string[];
}

/**
 * All routes of the embedded identity service, in their own scope: errors have Identity Toolkit's envelope, and pages of every origin can
 * read the responses, except those of the test mailbox. Register without a prefix; the SDK expects the service at the root of an origin.
 */
export async function identityRoutes(app: FastifyInstance, options: IdentityRoutesOptions): Promise<void> {
  const { mailer, mailQueue } = options.identity.methods;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerIdentityError);
  // Not for pages of other origins: the codes open accounts.
  if (isDevMailbox(mailer) && mailQueue !== null) serveDevMailbox(app, mailer, mailQueue);
  await app.register(async (scope) => serveEveryOrigin(scope, options));
}

async function serveEveryOrigin(
  app: FastifyInstance,
  { identity, wrongSecrets, allowedOrigins }: IdentityRoutesOptions,
): Promise<void> {
  const { methods: parts } = identity;
  const { apiKey, adminSecret } = parts;
  app.addHook('onRequest', allowEveryOrigin);
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url }) => void urls.add(url));
  await app.register(async (scope) => {
    scope.addHook('onRequest', requireApiKey(apiKey));
    await serveMethods(scope, IDENTITY_PREFIX, (methods) => {
      serveSignIn(methods, parts);
      serveAccountMethods(methods, parts);
      serveCodeMethods(methods, parts);
      serveSmallReads(methods, parts);
      refuseWhatIsNotOffered(methods);
    });
  });
  await app.register(async (scope) => {
    scope.addHook('onRequest', requireApiKey(apiKey));
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body.toString())));
    });
    await serveMethods(scope, TOKEN_PREFIX, (methods) => serveTokenMethod(methods, parts));
  });
  if (adminSecret !== null) {
    await app.register(async (scope) => {
      scope.addHook('onRequest', requireAdminSecret(adminSecret, wrongSecrets));
      await serveMethods(scope, IDENTITY_PREFIX, (methods) => serveOperatorMethods(methods, parts));
    });
  }
  servePublicKeys(app, parts.keys);

  for (const url of [`${IDENTITY_PREFIX}/*`, `${TOKEN_PREFIX}/*`]) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      schema: { hide: true },
      config: { access: 'public' },
      handler: async (request, reply) => answerNotFound(request, reply),
    });
  }
  servePreflights(app, [...urls], allowedOrigins);
}
