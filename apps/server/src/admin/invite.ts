import { isEmailAddress, type TestEmailOutcome } from '@chiffchaff/contract';
import { findAccountByEmail } from '../identity/accounts/account-store.ts';
import {
  createInvitation,
  describeInvitation,
  INVITATION_DAYS,
  listInvitations,
  revokeInvitation,
} from '../identity/invitations.ts';
import { invitationLink, writeInvitation } from '../identity/mail/mail-texts.ts';
import { type MailLanguage, sendForOperator } from '../identity/mail/mailer.ts';
import { createMailer } from '../identity/open-identity.ts';
import { readSettings } from '../settings/operator-settings.ts';
import { loadSettings } from '../settings/settings.ts';
import { AdminError } from './admin-error.ts';
import { requireOwnAccounts, type ServerData } from './open-data.ts';
import { asJson, minuteOf, textTable } from './text-table.ts';

const outcomes: Readonly<Record<TestEmailOutcome, string>> = {
  sent: 'The mail server has accepted an email with this link.',
  unreachable: 'No email was sent: the mail server can’t be reached (SMTP_URL). Send the link yourself.',
  insecure: 'No email was sent: the certificate of the mail server isn’t accepted (SMTP_URL). Send the link yourself.',
  signInRefused: 'No email was sent: the mail server refused the user name or password in SMTP_URL. Send the link yourself.',
  senderRefused: 'No email was sent: the mail server refused the sender (MAIL_FROM). Send the link yourself.',
  recipientRefused: 'No email was sent: the mail server refused this address. Check it, or send the link yourself.',
  refused: 'No email was sent: the mail server refused it. Send the link yourself.',
};

/** The server may have been started with another value, which this command does not see. */
const OPEN =
  'SIGN_UP is open in the settings of this command. If it is for the server, too, anyone can create an account without an invitation.';

const defaultLanguageOf = async ({ database, config }: ServerData): Promise<MailLanguage> =>
  readSettings(await loadSettings(database.query, config.fixedSettings)).defaultLanguage ?? 'en';

/**
 * Invites an address to create an account, and emails the link if there is a mail server.
 *
 * @param language of the email; that of the server by default
 * @returns the text to print; the link is not stored
 * @throws AdminError
 */
export async function invite(data: ServerData, typed: string, language?: MailLanguage): Promise<string> {
  requireOwnAccounts(data);
  const { config, secrets, database } = data;
  if (config.signUp === 'closed') {
    throw new AdminError('Nobody can create an account here (SIGN_UP=closed). Set SIGN_UP=invite and restart the server.');
  }
  const email = typed.trim().toLowerCase();
  if (!isEmailAddress(email)) throw new AdminError(`${typed} is not an email address. An address looks like name@example.org.`);
  const { code, expiresAtMs } = await database.change({}, async (query) => {
    if ((await findAccountByEmail(query, email)) !== null) {
      throw new AdminError(`There is already an account with the address ${email}.`);
    }
    return createInvitation(query, email);
  });
  const link = invitationLink(config.publicUrl ?? `http://127.0.0.1:${config.port}`, code, email);
  const mailer = createMailer(config, secrets);
  try {
    const written = writeInvitation(email, language ?? (await defaultLanguageOf(data)), link);
    const outcome = mailer ? await sendForOperator(mailer, { email, ...written }) : undefined;
    return [
      `Invited ${email} until ${minuteOf(new Date(expiresAtMs).toISOString())} UTC (${INVITATION_DAYS} days). The link works once and only for this address:`,
      `  ${link}`,
      outcome === undefined ? 'No mail server is set (SMTP_URL): send the link yourself.' : outcomes[outcome],
      ...(config.publicUrl === null
        ? ['The link leads to this machine. Set PUBLIC_URL if people reach the server elsewhere.']
        : []),
      ...(config.signUp === 'open' ? [OPEN] : []),
    ].join('\n');
  } finally {
    mailer?.close();
  }
}

/** @returns what to print @throws AdminError */
export async function invitations(data: ServerData, { json = false }: { readonly json?: boolean | undefined }): Promise<string> {
  requireOwnAccounts(data);
  const nowMs = Date.now();
  const listed = (await listInvitations(data.database.query)).map((invitation) => {
    const ended = invitation.expiresAtMs <= nowMs ? 'expired' : 'open';
    return { ...describeInvitation(invitation), state: invitation.usedAtMs === null ? ended : 'used' };
  });
  if (json) return asJson({ invitations: listed });
  if (listed.length === 0) return 'There are no invitations.';
  return textTable(
    ['address', 'state', 'invited (UTC)', 'valid until', 'used'],
    listed.map(({ email, state, createdAt, expiresAt, usedAt }) => [
      email,
      state,
      minuteOf(createdAt),
      minuteOf(expiresAt),
      minuteOf(usedAt),
    ]),
  );
}

/** @returns a sentence for the operator @throws AdminError */
export async function uninvite(data: ServerData, typed: string): Promise<string> {
  requireOwnAccounts(data);
  const email = typed.trim().toLowerCase();
  if (!(await data.database.change({ freesRoom: true }, (query) => revokeInvitation(query, email)))) {
    throw new AdminError(
      `There is no unused invitation for ${email}. An account is disabled with: ./chiffchaff admin disable ${email}`,
    );
  }
  return `Revoked the invitation of ${email}. Its link no longer works.`;
}
