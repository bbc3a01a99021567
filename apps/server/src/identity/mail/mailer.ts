import { type InterfaceLanguage, interfaceLanguages, type TestEmailOutcome } from '@chiffchaff/contract';
import type { OneTimeCodeType } from '../../database/tables.ts';

/** Languages of mails. */
export type MailLanguage = InterfaceLanguage;

/** @param locale `X-Firebase-Locale`, such as `de-AT` @returns null if there are no mails in that language */
export function mailLanguageOf(locale: string | string[] | undefined): MailLanguage | null {
  const code = /^([a-z]+)(?:[-_]|$)/i.exec(String(locale ?? ''))?.[1]?.toLowerCase();
  return interfaceLanguages.find((language) => language === code) ?? null;
}

/** A mail with a code. */
export interface CodeMail {
  /** the recipient */
  readonly email: string;
  readonly requestType: OneTimeCodeType;
  readonly oobCode: string;
  readonly link: string;
  readonly language: MailLanguage;
  /** the other address, when an account changes its address */
  readonly otherEmail: string | null;
}

/** Always with plain text, so that people can read a link before they open it. */
export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Delivers mails to an SMTP server, or to the mailbox of a test. */
export interface Mailer {
  /** host and port of the mail server, if there is one */
  readonly server?: string;
  /** Mails wait for a random time up to this. */
  readonly maxPauseMs: number;
  deliver(mail: CodeMail): Promise<void>;
  /** Sends a mail for an operator, who learns the outcome. */
  deliverNow(email: string, written: WrittenMail): Promise<TestEmailOutcome>;
  close(): void;
}

/** A mailer that keeps mails in memory instead of sending them, for development and tests. */
export interface DevMailbox extends Mailer {
  /** oldest first */
  readonly mails: readonly CodeMail[];
}

/** Counts what is sent with a mailer. */
export function countMails<Counted extends Mailer>(mailer: Counted, count: (outcome: 'sent' | 'failed') => void): Counted {
  return {
    ...mailer,
    async deliver(mail) {
      try {
        await mailer.deliver(mail);
        count('sent');
      } catch (error) {
        count('failed');
        throw error;
      }
    },
    async deliverNow(email, written) {
      const outcome = await mailer.deliverNow(email, written);
      count(outcome === 'sent' ? 'sent' : 'failed');
      return outcome;
    },
  };
}

const KEPT_MAILS = 1000;

export function createDevMailbox(): DevMailbox {
  const mails: CodeMail[] = [];
  return {
    mails,
    maxPauseMs: 0,
    deliver: async (mail) => {
      mails.push(mail);
      if (mails.length > KEPT_MAILS) mails.shift();
    },
    deliverNow: async () => 'sent',
    close: () => {},
  };
}
