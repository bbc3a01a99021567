import type { TestEmailOutcome } from '@chiffchaff/contract';
import { createTransport } from 'nodemailer';
import { writeInvitation } from './invitation-email.ts';
import { writeMail } from './mail-texts.ts';
import type { Mailer } from './mailer.ts';
import { outcomeOf, writeTestEmail } from './test-email.ts';

const TIMEOUT_MS = 20_000;
const MAX_PAUSE_MS = 5000;

/**
 * Sends mails through an SMTP server.
 *
 * @param smtpUrl `smtps://user:password@mail.example.org`; a secret
 * @param sender the From header, such as `Chiffchaff <no-reply@example.org>`
 */
export function createSmtpMailer(smtpUrl: string, sender: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // The texts of mails are our own; nothing in them may make the library read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  async function sendAtOnce(
    email: string,
    written: { readonly subject: string; readonly text: string },
  ): Promise<TestEmailOutcome> {
    try {
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ from: sender, to: { name: '', address: email }, ...written, headers });
      return 'sent';
    } catch (error) {
      return outcomeOf(error);
    }
  }

  return {
    maxPauseMs: MAX_PAUSE_MS,
    deliver: async (mail) => {
      // As an object, this is always one address, whatever characters it contains.
      await transport.sendMail({
        from: sender,
        to: { name: '', address: mail.email },
        ...writeMail(mail),
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    deliverInvitation: (email, language, link) => sendAtOnce(email, writeInvitation(email, language, link)),
    deliverTest: (email, language) => sendAtOnce(email, writeTestEmail(language)),
    close: () => transport.close(),
  };
}
