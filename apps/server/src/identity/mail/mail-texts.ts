import type { OneTimeCodeType } from '../../database/tables.ts';
import type { CodeMail, MailLanguage } from './mailer.ts';

/**
 * What mails say. None of it comes from the request: a display name could make our mail say anything to another person.
 */
interface MailText {
  readonly subject: string;
  readonly before: (mail: CodeMail) => string;
  readonly action: string;
  readonly after: string;
}

const texts: Readonly<Record<MailLanguage, Readonly<Record<OneTimeCodeType, MailText>>>> = {
  en: {
    PASSWORD_RESET: {
      subject: 'Choose a new password for Chiffchaff',
      before: ({ email }) => `Somebody, hopefully you, asked for a new password for the Chiffchaff account of ${email}.`,
      action: 'Choose a new password',
      after: 'The link works once and for one hour. If it was not you, there is nothing to do: your password stays as it is.',
    },
    VERIFY_EMAIL: {
      subject: 'Confirm your e-mail address for Chiffchaff',
      before: ({ email }) => `There is a Chiffchaff account with the address ${email}. Please confirm that it is yours.`,
      action: 'Confirm the address',
      after: 'The link works once and for three days. If you have no such account, please ignore this mail.',
    },
    VERIFY_AND_CHANGE_EMAIL: {
      subject: 'Confirm your new e-mail address for Chiffchaff',
      before: ({ email }) => `A Chiffchaff account is to change to the address ${email}. Please confirm that it is yours.`,
      action: 'Confirm the new address',
      after:
        'The link works once and for one day. Afterwards you sign in with the new address. If it was not you, please ignore this mail.',
    },
    RECOVER_EMAIL: {
      subject: 'The e-mail address of your Chiffchaff account was changed',
      before: ({ otherEmail }) => `Your Chiffchaff account now has the address ${otherEmail ?? ''}.`,
      action: 'Undo the change',
      after:
        'If it was you, there is nothing to do. If it was not, undo the change and choose a new password. The link works once and for a week.',
    },
  },
  de: {
    PASSWORD_RESET: {
      subject: 'Neues Passwort für Chiffchaff',
      before: ({ email }) => `Jemand, hoffentlich du, möchte ein neues Passwort für das Chiffchaff-Konto von ${email}.`,
      action: 'Neues Passwort wählen',
      after: 'Der Link gilt einmal und eine Stunde lang. Warst du es nicht, ist nichts zu tun: Dein Passwort bleibt, wie es ist.',
    },
    VERIFY_EMAIL: {
      subject: 'Bestätige deine E-Mail-Adresse für Chiffchaff',
      before: ({ email }) => `Es gibt ein Chiffchaff-Konto mit der Adresse ${email}. Bitte bestätige, dass sie dir gehört.`,
      action: 'Adresse bestätigen',
      after: 'Der Link gilt einmal und drei Tage lang. Hast du kein solches Konto, übergehe bitte diese Nachricht.',
    },
    VERIFY_AND_CHANGE_EMAIL: {
      subject: 'Bestätige deine neue E-Mail-Adresse für Chiffchaff',
      before: ({ email }) => `Ein Chiffchaff-Konto soll zur Adresse ${email} wechseln. Bitte bestätige, dass sie dir gehört.`,
      action: 'Neue Adresse bestätigen',
      after:
        'Der Link gilt einmal und einen Tag lang. Danach meldest du dich mit der neuen Adresse an. Warst du es nicht, übergehe bitte diese Nachricht.',
    },
    RECOVER_EMAIL: {
      subject: 'Die E-Mail-Adresse deines Chiffchaff-Kontos wurde geändert',
      before: ({ otherEmail }) => `Dein Chiffchaff-Konto hat jetzt die Adresse ${otherEmail ?? ''}.`,
      action: 'Änderung rückgängig machen',
      after:
        'Warst du es, ist nichts zu tun. Warst du es nicht, mach die Änderung rückgängig und wähle ein neues Passwort. Der Link gilt einmal und eine Woche lang.',
    },
  },
};

export interface WrittenMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail in words, as plain text and as HTML of the simplest kind. */
export function writeMail(mail: CodeMail): WrittenMail {
  const { subject, before, action, after } = texts[mail.language][mail.requestType];
  const opening = before(mail);
  const paragraphs = [escapeHtml(opening), `<a href="${escapeHtml(mail.link)}">${escapeHtml(action)}</a>`, escapeHtml(after)];
  return {
    subject,
    text: `${opening}\n\n${action}:\n${mail.link}\n\n${after}\n`,
    html: `<!doctype html><html lang="${mail.language}"><body>${paragraphs.map((line) => `<p>${line}</p>`).join('')}</body></html>`,
  };
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
