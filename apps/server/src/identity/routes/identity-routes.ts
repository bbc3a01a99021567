import type { FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Limiter } from '../../http/limits/limiters.ts';
import type { DevMailbox } from '../mail/mailer.ts';
import type { EmbeddedIdentity } from '../open-embedded-identity.ts';
import { serveAccountMethods } from './account-methods.ts';
import { allowEveryOrigin, requireAdminSecret, requireApiKey, servePreflights } from './admit-requests.ts';
import { serveCodeMethods } from './code-methods.ts';
import { answerIdentityError, RequestRefusal, refusals } from './error-envelope.ts';
import { IDENTITY_PREFIX, serveMethods, TOKEN_PREFIX } from './method-routes.ts';
import { serveOperatorMethods } from './operator-methods.ts';
import { servePublicKeys } from './public-key-routes.ts';
import { serveSignIn, serveTokenMethod } from './sign-in-methods.ts';
import { refuseWhatIsNotOffered, serveSmallReads } from './small-reads.ts';

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
  if (mailer !== null && 'mails' in mailer) serveDevMailbox(app, mailer, async () => mailQueue?.settled());
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
      handler: async () => {
        throw new RequestRefusal(refusals.notFound);
      },
    });
  }
  servePreflights(app, [...urls], allowedOrigins);
}

const mailboxSchema = z.object({
  oobCodes: z.array(z.object({ email: z.string(), requestType: z.string(), oobCode: z.string(), oobLink: z.string() })),
});

/** The mails that were kept instead of sent. For tests and development; the configuration refuses it in production. */
function serveDevMailbox(app: FastifyInstance, { mails }: DevMailbox, settled: () => Promise<void>): void {
  const schema = { hide: true, response: { 200: mailboxSchema } };
  app.get('/dev/oob-codes', { config: { access: 'public' }, schema }, async () => {
    await settled();
    return { oobCodes: mails.map(({ link, ...mail }) => ({ ...mail, oobLink: link })) };
  });
}
