import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { DevMailbox, Mailer } from '../mail/mailer.ts';

const answerSchema = z.object({
  oobCodes: z.array(z.object({ email: z.string(), requestType: z.string(), oobCode: z.string(), oobLink: z.string() })),
});

export const isDevMailbox = (mailer: Mailer | DevMailbox | null): mailer is DevMailbox => mailer !== null && 'mails' in mailer;

/**
 * `GET /dev/oob-codes`: the mails that were kept instead of sent. For tests and development; the configuration refuses it in production.
 */
export function serveDevMailbox(app: FastifyInstance, mailbox: DevMailbox, mailQueue: MailQueue): void {
  app.get(
    '/dev/oob-codes',
    { config: { access: 'public' }, schema: { hide: true, response: { 200: answerSchema } } },
    async () => {
      await mailQueue.settled();
      return {
        oobCodes: mailbox.mails.map(({ email, requestType, oobCode, link }) => ({ email, requestType, oobCode, oobLink: link })),
      };
    },
  );
}
