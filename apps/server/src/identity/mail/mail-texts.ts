import type { OneTimeCodeType } from '../../database/tables.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import type { CodeMail, MailLanguage, WrittenMail } from './mailer.ts';

/** The texts of mails. They contain no names from the request: a display name could make our mail say anything to another person. */
export interface MailText<About extends readonly unknown[]> {
  readonly subject: string;
  readonly before: (...about: About) => string;
  readonly action: string;
  readonly after: string;
}

const texts: Readonly<Record<MailLanguage, Readonly<Record<OneTimeCodeType, MailText<[mail: CodeMail]>>>>> = {
  en: {
    PASSWORD_RESET: {
      subject: 'Reset your Chiffchaff password',
      before: ({ email }) => `We received a request to reset the password of the Chiffchaff account for ${email}.`,
      action: 'Choose a new password',
      after:
        'This link works once and expires in one hour. If you didn’t ask for it, you can ignore this email. Your password won’t change.',
    },
    VERIFY_EMAIL: {
      subject: 'Confirm your email address for Chiffchaff',
      before: ({ email }) => `A Chiffchaff account uses the address ${email}. Please confirm that this address is yours.`,
      action: 'Confirm the address',
      after: 'This link works once and expires in three days. If you didn’t create an account, you can ignore this email.',
    },
    VERIFY_AND_CHANGE_EMAIL: {
      subject: 'Confirm your new email address for Chiffchaff',
      before: ({ email }) =>
        `We received a request to change the email address of a Chiffchaff account to ${email}. Please confirm that this address is yours.`,
      action: 'Confirm the new address',
      after:
        'This link works once and expires in one day. After that, sign in with your new address. If you didn’t ask for this, you can ignore this email.',
    },
    RECOVER_EMAIL: {
      subject: 'Your Chiffchaff email address was changed',
      before: ({ otherEmail }) => `Your Chiffchaff account now has the address ${otherEmail ?? ''}.`,
      action: 'Undo the change',
      after:
        'If you made this change, you don’t need to do anything. If you didn’t, undo it and choose a new password. This link works once and expires in one week.',
    },
  },
  de: {
    PASSWORD_RESET: {
      subject: 'Neues Passwort für Chiffchaff',
      before: ({ email }) => `Für das Chiffchaff-Konto von ${email} wurde ein neues Passwort angefordert.`,
      action: 'Neues Passwort wählen',
      after:
        'Der Link funktioniert nur einmal und läuft in einer Stunde ab. Wenn du das nicht warst, kannst du diese E-Mail ignorieren. Dein Passwort bleibt unverändert.',
    },
    VERIFY_EMAIL: {
      subject: 'Bestätige deine E-Mail-Adresse für Chiffchaff',
      before: ({ email }) => `Ein Chiffchaff-Konto verwendet die Adresse ${email}. Bitte bestätige, dass sie dir gehört.`,
      action: 'Adresse bestätigen',
      after:
        'Der Link funktioniert nur einmal und läuft in drei Tagen ab. Wenn du kein Konto angelegt hast, kannst du diese E-Mail ignorieren.',
    },
    VERIFY_AND_CHANGE_EMAIL: {
      subject: 'Bestätige deine neue E-Mail-Adresse für Chiffchaff',
      before: ({ email }) =>
        `Die E-Mail-Adresse eines Chiffchaff-Kontos soll in ${email} geändert werden. Bitte bestätige, dass diese Adresse dir gehört.`,
      action: 'Neue Adresse bestätigen',
      after:
        'Der Link funktioniert nur einmal und läuft in einem Tag ab. Danach meldest du dich mit der neuen Adresse an. Wenn du das nicht warst, kannst du diese E-Mail ignorieren.',
    },
    RECOVER_EMAIL: {
      subject: 'Die E-Mail-Adresse deines Chiffchaff-Kontos wurde geändert',
      before: ({ otherEmail }) => `Dein Chiffchaff-Konto hat jetzt die Adresse ${otherEmail ?? ''}.`,
      action: 'Änderung rückgängig machen',
      after:
        'Wenn du das warst, musst du nichts tun. Wenn nicht, mach die Änderung rückgängig und wähle ein neues Passwort. Der Link funktioniert nur einmal und läuft in einer Woche ab.',
    },
  },
};

/** Writes a mail as plain text and as minimal HTML. */
export function writeMail(mail: CodeMail): WrittenMail {
  const { subject, before, action, after } = texts[mail.language][mail.requestType];
  const opening = before(mail);
  const paragraphs = [escapeHtml(opening), `<a href="${escapeHtml(mail.link)}">${escapeHtml(action)}</a>`, escapeHtml(after)];
  return {
    subject,
    text: asText(opening, action, mail.link, after),
    html: `<!doctype html><html lang="${mail.language}"><body>${paragraphs.map((line) => `<p>${line}</p>`).join('')}</body></html>`,
  };
}

export const asText = (before: string, action: string, link: string, after: string): string =>
  `${before}\n\n${action}:\n${link}\n\n${after}\n`;
