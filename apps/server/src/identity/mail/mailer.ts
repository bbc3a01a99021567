import type { OneTimeCodeType } from '../../database/tables/identity-tables.ts';
import type { MailLanguage } from './mail-language.ts';

/** One mail with a code in it. */
export interface CodeMail {
  /** whom it goes to */
  readonly email: string;
  readonly requestType: OneTimeCodeType;
  readonly oobCode: string;
  readonly link: string;
  readonly language: MailLanguage;
  /** the other address, when an account changes from one to another */
  readonly otherEmail: string | null;
}

/** Where mails go: to an SMTP server, or to the mailbox of a test. */
export interface Mailer {
  /** Mails wait for a time up to this, by chance. */
  readonly maxPauseMs: number;
  deliver(mail: CodeMail): Promise<void>;
  close(): void;
}
