import type { TestEmailOutcome } from '@chiffchaff/contract';
import type { MailLanguage, WrittenMail } from './mailer.ts';

export const testEmails: Readonly<Record<MailLanguage, WrittenMail>> = {
  en: {
    subject: 'Test email from Chiffchaff',
    text: 'The operator of a Chiffchaff server asked for this test email. It has arrived, so the server can send email.\n',
  },
  de: {
    subject: 'Test-E-Mail von Chiffchaff',
    text: 'Der Betreiber eines Chiffchaff-Servers hat diese Test-E-Mail angefordert. Sie ist angekommen, also kann der Server E-Mails verschicken.\n',
  },
};

/** What an error of nodemailer means for the operator. */
export function outcomeOf(error: unknown): Exclude<TestEmailOutcome, 'sent'> {
  const { code, command } = { code: '', command: '', ...(error instanceof Error ? error : {}) };
  if (code === 'EAUTH' || code === 'ENOAUTH') return 'signInRefused';
  if (code === 'ETLS' || /CERT|SIGNED|ERR_TLS|ERR_SSL/.test(code)) return 'insecure';
  if (code === 'EENVELOPE') return /^RCPT/.test(command) ? 'recipientRefused' : 'senderRefused';
  if (['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EDNS', 'ECONNREFUSED', 'ENOTFOUND'].includes(code)) return 'unreachable';
  return 'refused';
}
