import {
  type SetupAnswer,
  setupAnswerSchema,
  testEmailAnswerSchema,
  testEmailBodySchema,
  writtenSettingsSchema,
} from '@chiffchaff/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { routeFor } from '../http/access.ts';
import { HttpProblem, invalidFields } from '../http/http-problem.ts';
import { type CreateLimiter, countTry } from '../http/limits/limiters.ts';
import type { PageAnswer } from '../http/page-files.ts';
import { testEmails } from '../identity/mail/mail-texts.ts';
import { type Mailer, sendForOperator } from '../identity/mail/mailer.ts';
import type { Settings } from './settings.ts';
import type { SetupCodes } from './setup-codes.ts';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** A proxy adds one of these. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether nobody could read a request on its way: it came over https (a trusted proxy may say so) or from this machine. A request forwarded
 * by an untrusted proxy on this machine came from elsewhere, and a host name that merely resolves to this machine may belong to another
 * site.
 */
function isPrivate({ protocol, raw: { socket, headers } }: Pick<FastifyRequest, 'protocol' | 'raw'>): boolean {
  if (protocol === 'https') return true;
  const isHandedOn = FORWARDING.some((name) => headers[name] !== undefined);
  return LOOPBACK.test(socket.remoteAddress ?? '') && !isHandedOn && LOOPBACK_HOST.test(headers.host ?? '');
}

export interface SetupRoutesOptions {
  readonly settings: Settings;
  readonly codes: SetupCodes;
  /** null if no email can be sent */
  readonly mailer: Pick<Mailer, 'send'> | null;
  readonly mail: SetupAnswer['mail'];
  readonly createLimiter: CreateLimiter;
  /** null without a page */
  readonly sendPage: PageAnswer['send'] | null;
}

const CODE_HEADER = 'setup-code';
const TEST_EMAIL = { points: 1, windowSeconds: 60 };

/**
 * The page `/setup` and its calls: 404 unless a code is valid and the request is private. The code, which grants access, is sent in a
 * header only.
 */
export const setupRoutes: FastifyPluginAsyncZod<SetupRoutesOptions> = async (app, options) => {
  const { settings, codes, mailer, mail } = options;
  const limiter = options.createLimiter('testEmails', TEST_EMAIL);

  const isOpenFor = async (request: FastifyRequest): Promise<boolean> => isPrivate(request) && (await codes.isOpen());
  const codeOf = ({ headers }: FastifyRequest): string => String(headers[CODE_HEADER] ?? '');

  /** @throws HttpProblem NOT_FOUND, SETUP_CODE_NEEDED (which does not count as a try), SETUP_CODE_WRONG */
  async function requireCode(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header('cache-control', 'no-store');
    if (!(await isOpenFor(request))) throw new HttpProblem('NOT_FOUND', {});
    const code = codeOf(request);
    if (code === '') throw new HttpProblem('SETUP_CODE_NEEDED', {});
    const { isRight, triesLeft } = await codes.check(code);
    // Another request has just used it.
    if (triesLeft === null) throw new HttpProblem('NOT_FOUND', {});
    if (!isRight) throw new HttpProblem('SETUP_CODE_WRONG', { triesLeft });
  }

  const answer = async (): Promise<SetupAnswer> => ({ settings: await settings.load(), fixed: [...settings.fixed], mail });

  app.get('/setup', routeFor('public', { hide: true }), async (request, reply) => {
    if (options.sendPage === null) throw new HttpProblem('NOT_FOUND', {});
    await options.sendPage(request, reply, (await isOpenFor(request)) ? 200 : 404);
    return reply;
  });

  app.get(
    '/v1/setup',
    {
      ...routeFor('public', { summary: 'Get what the operator can set', response: { 200: setupAnswerSchema } }),
      onRequest: requireCode,
    },
    answer,
  );

  app.put(
    '/v1/setup',
    {
      ...routeFor('public', {
        summary: 'Save what the operator has set, which uses up the code',
        body: writtenSettingsSchema,
        response: { 200: setupAnswerSchema },
      }),
      onRequest: requireCode,
    },
    async (request) => {
      await settings.save(request.body, async (query) => {
        if (!(await codes.use(query, codeOf(request)))) throw new HttpProblem('NOT_FOUND', {});
      });
      request.log.info('the settings were saved at /setup');
      return answer();
    },
  );

  app.post(
    '/v1/setup/test-email',
    {
      ...routeFor('public', {
        summary: 'Send a test email to the contact address, at most once a minute',
        body: testEmailBodySchema,
        response: { 200: testEmailAnswerSchema },
      }),
      onRequest: requireCode,
    },
    async ({ body: { contactEmail, language }, log }) => {
      if (settings.fixed.includes('contactEmail') && contactEmail !== settings.current().terms.contactEmail)
        throw invalidFields([{ field: 'contactEmail', message: 'is fixed by SETTINGS_FILE' }]);
      if (mailer === null) throw invalidFields([{ field: 'contactEmail', message: 'cannot be sent to: SMTP_URL is not set' }]);
      const retryAfterSeconds = await countTry(limiter, 'all');
      if (retryAfterSeconds !== null) throw new HttpProblem('TOO_MANY_REQUESTS', { retryAfterSeconds });
      const outcome = await sendForOperator(mailer, { email: contactEmail, ...testEmails[language] });
      log.info({ outcome }, 'a test email was asked for at /setup');
      return { outcome };
    },
  );
};
