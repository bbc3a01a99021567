import { createTransport } from 'nodemailer';
import { writeMail } from './mail-texts.ts';
import type { Mailer, WrittenMail } from './mailer.ts';
import { outcomeOf } from './test-email.ts';

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
  const send = (email: string, written: WrittenMail) =>
    transport.sendMail({
      from: sender,
      // As an object, this is always one address, whatever characters it contains.
      to: { name: '', address: email },
      ...written,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });

  const { protocol, hostname, port } = new URL(smtpUrl);
  return {
    server: `${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`,
    maxPauseMs: MAX_PAUSE_MS,
    deliver: async (mail) => void (await send(mail.email, writeMail(mail))),
    deliverNow: (email, written) => send(email, written).then(() => 'sent' as const, outcomeOf),
    close: () => transport.close(),
  };
}
