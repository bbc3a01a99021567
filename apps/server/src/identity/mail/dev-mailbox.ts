import type { CodeMail, Mailer } from './mailer.ts';

/** A mailer that keeps mails in memory instead of sending them, for development and tests. */
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
    deliver: async (mail) => {
      mails.push(mail);
      if (mails.length > KEPT_MAILS) mails.shift();
    },
    close: () => {},
  };
}
