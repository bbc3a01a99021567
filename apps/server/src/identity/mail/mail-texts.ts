import type { OneTimeCodeType } from '../../database/tables.ts';
import { escapeHtml } from '../../http/escape-html.ts';
import { INVITATION_DAYS } from '../invitations.ts';
import type { MailLanguage, WrittenMail } from './mailer.ts';

/** What the text of a mail with a code depends on. */
export interface CodeMailContent {
  /** the recipient */
  readonly email: string;
  readonly requestType: OneTimeCodeType;
  readonly link: string;
  readonly language: MailLanguage;
  /** the other address, when an account changes its address */
  readonly otherEmail: string | null;
}

/** The texts of mails. They contain no names from the request: a display name could make our mail say anything to another person. */
interface MailText<About extends readonly unknown[]> {
  readonly subject: string;
  readonly before: (...about: About) => string;
  readonly action: string;
  readonly after: string;
}

const texts: Readonly<Record<MailLanguage, Readonly<Record<OneTimeCodeType, MailText<[mail: CodeMailContent]>>>>> = {
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
export function writeMail(mail: CodeMailContent): WrittenMail {
  const { subject, before, action, after } = texts[mail.language][mail.requestType];
  const opening = before(mail);
  const paragraphs = [escapeHtml(opening), `<a href="${escapeHtml(mail.link)}">${escapeHtml(action)}</a>`, escapeHtml(after)];
  return {
    subject,
    text: asText(opening, action, mail.link, after),
    html: `<!doctype html><html lang="${mail.language}"><body>${paragraphs.map((line) => `<p>${line}</p>`).join('')}</body></html>`,
  };
}

const asText = (before: string, action: string, link: string, after: string): string =>
  `${before}\n\n${action}:\n${link}\n\n${after}\n`;

const invitations: Readonly<Record<MailLanguage, MailText<[email: string, host: string]>>> = {
  en: {
    subject: 'You’re invited to Chiffchaff',
    before: (email, host) =>
      `The operator of ${host} invites you to create a Chiffchaff account for ${email}. Chiffchaff tells you which birds can be heard in a recording.`,
    action: 'Create your account',
    after: `This link works once, for this email address only, within ${INVITATION_DAYS} days. If you don’t want an account, you can ignore this email.`,
  },
  de: {
    subject: 'Einladung zu Chiffchaff',
    before: (email, host) =>
      `Der Betreiber von ${host} lädt dich ein, ein Chiffchaff-Konto für ${email} anzulegen. Chiffchaff sagt dir, welche Vögel in einer Aufnahme zu hören sind.`,
    action: 'Konto anlegen',
    after: `Der Link funktioniert nur einmal, nur für diese E-Mail-Adresse und ${INVITATION_DAYS} Tage lang. Wenn du kein Konto möchtest, kannst du diese E-Mail ignorieren.`,
  },
};

export function writeInvitation(email: string, language: MailLanguage, link: string): WrittenMail {
  const { subject, before, action, after } = invitations[language];
  return { subject, text: asText(before(email, new URL(link).host), action, link, after) };
}

/**
 * The link in an invitation. Code and address follow the `#`, which browsers do not send to servers, so no proxy logs them.
 *
 * @param publicUrl public URL of the server
 */
export const invitationLink = (publicUrl: string, code: string, email: string): string =>
  `${publicUrl}/login#${new URLSearchParams({ invitation: code, email })}`;

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
