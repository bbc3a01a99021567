/** What sends emails: an SMTP server, or the mailbox of a test. `open-identity.ts` creates one for the server and its commands. */
import { type InterfaceLanguage, interfaceLanguages, type TestEmailOutcome } from '@chiffchaff/contract';
import { createTransport } from 'nodemailer';
import type { OneTimeCodeType } from '../../database/tables.ts';

/** Languages of mails. */
export type MailLanguage = InterfaceLanguage;

/** @param locale `X-Firebase-Locale`, such as `de-AT` @returns null if there are no mails in that language */
export function mailLanguageOf(locale: string | string[] | undefined): MailLanguage | null {
  const code = /^([a-z]+)(?:[-_]|$)/i.exec(String(locale ?? ''))?.[1]?.toLowerCase();
  return interfaceLanguages.find((language) => language === code) ?? null;
}

/** Always with plain text, so that people can read a link before they open it. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

interface Mail extends WrittenMail {
  /** the recipient */
  readonly email: string;
}

/** A mail with a code, and what the mailbox of a test lists of it. */
export interface CodeMail extends Mail {
  readonly requestType: OneTimeCodeType;
  readonly oobCode: string;
  readonly link: string;
}

/** Delivers mails to an SMTP server, or to the mailbox of a test. */
export interface Mailer {
  /** host and port of the mail server, if there is one */
  readonly server?: string;
  /** Mails with codes wait for a random time up to this. */
  readonly maxPauseMs: number;
  send(mail: Mail | CodeMail): Promise<void>;
  close(): void;
}

/** Sends a mail for an operator, who learns the outcome. */
export const sendForOperator = ({ send }: Pick<Mailer, 'send'>, mail: Mail): Promise<TestEmailOutcome> =>
  send(mail).then(() => 'sent' as const, outcomeOf);

/** What an error of nodemailer means for the operator. */
export function outcomeOf(error: unknown): Exclude<TestEmailOutcome, 'sent'> {
  const { code, command } = { code: '', command: '', ...(error instanceof Error ? error : {}) };
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'signInRefused';
  if (code === 'ETLS' || /CERT|SIGNED|ERR_TLS|ERR_SSL/.test(code)) return 'insecure';
  if (code === 'EENVELOPE') return /^RCPT/.test(command) ? 'recipientRefused' : 'senderRefused';
  if (['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ENOTFOUND'].includes(code)) return 'unreachable';
  return 'refused';
}

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

/** A mailer that keeps mails with codes in memory instead of sending them, for development and tests. */
export interface DevMailbox extends Mailer {
  /** oldest first */
  readonly mails: readonly CodeMail[];
}

const KEPT_MAILS = 1000;

export function createDevMailbox(): DevMailbox {
  const mails: CodeMail[] = [];
  return {
    mails,
    maxPauseMs: 0,
    send: async (mail) => {
      if ('oobCode' in mail) mails.push(mail);
      if (mails.length > KEPT_MAILS) mails.shift();
    },
    close: () => {},
  };
}

/** Counts what is sent with a mailer. */
export const countMails = <Counted extends Mailer>(mailer: Counted, count: (outcome: 'sent' | 'failed') => void): Counted => ({
  ...mailer,
  async send(mail) {
    try {
      await mailer.send(mail);
      count('sent');
    } catch (error) {
      count('failed');
      throw error;
    }
  },
});
