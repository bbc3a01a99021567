import { INVITATION_DAYS } from '../invitations.ts';
import { asText, type MailText } from './mail-texts.ts';
import type { MailLanguage, WrittenMail } from './mailer.ts';

const texts: Readonly<Record<MailLanguage, MailText<[email: string, host: string]>>> = {
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
  const { subject, before, action, after } = texts[language];
  return { subject, text: asText(before(email, new URL(link).host), action, link, after) };
}

/**
 * The link in an invitation. Code and address follow the `#`, which browsers do not send to servers, so no proxy logs them.
 *
 * @param publicUrl public URL of the server
 */
export const invitationLink = (publicUrl: string, code: string, email: string): string =>
  `${publicUrl}/login#${new URLSearchParams({ invitation: code, email })}`;
