import { createTransport } from 'nodemailer';
import type { Mailer } from './mailer.ts';

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
  const { protocol, hostname, port } = new URL(smtpUrl);
  return {
    server: `${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`,
    maxPauseMs: MAX_PAUSE_MS,
    send: async ({ email, subject, text, html }) => {
      // As an object, the recipient is always one address, whatever characters it contains.
      const to = { name: '', address: email };
      await transport.sendMail({ from: sender, to, subject, text, html, headers: { 'Auto-Submitted': 'auto-generated' } });
    },
    close: () => transport.close(),
  };
}
