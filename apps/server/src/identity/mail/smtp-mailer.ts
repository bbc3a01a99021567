import { createTransport } from 'nodemailer';
import { writeMail } from './mail-texts.ts';
import type { Mailer } from './mailer.ts';

const timeoutMs = 20_000;
const maxPauseMs = 5000;

/**
 * Sends mails through an SMTP server.
 *
 * @param smtpUrl `smtps://user:password@mail.example.org`; a secret
 * @param sender whom mails come from, `Chiffchaff <no-reply@example.org>`
 */
export function createSmtpMailer(smtpUrl: string, sender: string): Mailer {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Mails are our own text; nothing in them may make the library read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    maxPauseMs,
    deliver: async (mail) => {
      // The address as an object is taken for one address, whatever characters it holds.
      await transport.sendMail({
        from: sender,
        to: { name: '', address: mail.email },
        ...writeMail(mail),
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    },
    close: () => transport.close(),
  };
}
