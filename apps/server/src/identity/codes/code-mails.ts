/**
 * Emails with one-time codes, for the methods that request them (`routes/code-methods.ts`, `routes/operator-methods.ts`) or announce a change
 * of address. Every refusal is an IdentityError from the contract's catalogue.
 */
import type { SendOobCodeBody } from '@chiffchaff/contract';
import type { OneTimeCodeType } from '../../database/tables.ts';
import { readContinueUrl, readEmail, requireRecentSignIn } from '../accounts/account-rules.ts';
import { type Account, findAccountByEmail, type Query } from '../accounts/account-store.ts';
import type { AccountParts, Client } from '../embedded-parts.ts';
import { IdentityError } from '../identity-error.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { writeMail } from '../mail/mail-texts.ts';
import { type CodeMail, type MailLanguage, mailLanguageOf } from '../mail/mailer.ts';
import { createCode } from './one-time-codes.ts';

/** Sends the requested mail. @returns the address for the response */
export async function sendCode(parts: AccountParts, request: SendOobCodeBody, client: Client): Promise<string> {
  switch (request.requestType) {
    case undefined:
    case '':
    case 'OOB_REQ_TYPE_UNSPECIFIED':
      throw new IdentityError('MISSING_REQ_TYPE');
    case 'PASSWORD_RESET':
      return sendReset(parts, request, client);
    case 'VERIFY_EMAIL':
      return sendVerification(parts, request, client);
    case 'VERIFY_AND_CHANGE_EMAIL':
      return sendChange(parts, request, client);
    case 'EMAIL_SIGNIN':
      throw new IdentityError('OPERATION_NOT_ALLOWED', 'Signing in with an email link is not available here.');
    default:
      throw new IdentityError('INVALID_REQ_TYPE');
  }
}

async function sendReset(parts: AccountParts, request: SendOobCodeBody, client: Client): Promise<string> {
  const { query } = parts.database;
  if (!request.email) throw new IdentityError('MISSING_EMAIL');
  const email = readEmail(request.email);
  const writing = writingOf(parts, request, client);
  const mailQueue = requireMailQueue(parts);
  await parts.limits.takeCodeMail(email, client.ip, 'RESET_PASSWORD_EXCEED_LIMIT');
  if (!parts.enumerationProtection && (await findAccountByEmail(query, email)) === null) {
    throw new IdentityError('EMAIL_NOT_FOUND');
  }
  // The posted job looks the account up, so the response takes as long when there is none.
  mailQueue.post(async () => {
    const account = await findAccountByEmail(query, email);
    if (account === null || account.disabled) return null;
    return writeLater(parts, account, 'PASSWORD_RESET', writing);
  });
  return email;
}

async function sendVerification(parts: AccountParts, request: SendOobCodeBody, client: Client): Promise<string> {
  const { account } = await parts.access.verify(request.idToken);
  const writing = writingOf(parts, request, client);
  const mailQueue = requireMailQueue(parts);
  await parts.limits.takeCodeMail(account.email, client.ip, 'TOO_MANY_ATTEMPTS_TRY_LATER');
  mailQueue.post(() => writeLater(parts, account, 'VERIFY_EMAIL', writing));
  return account.email;
}

async function sendChange(parts: AccountParts, request: SendOobCodeBody, client: Client): Promise<string> {
  const { account, session } = await parts.access.verify(request.idToken);
  const newEmail = readNewEmail(request);
  const writing = { ...writingOf(parts, request, client), newEmail };
  requireRecentSignIn(session.authTimeSeconds, Date.now());
  const mailQueue = requireMailQueue(parts);
  await parts.limits.takeCodeMail(newEmail, client.ip, 'TOO_MANY_ATTEMPTS_TRY_LATER');
  const isTaken = async () => (await findAccountByEmail(parts.database.query, newEmail)) !== null;
  if (!parts.enumerationProtection && (await isTaken())) throw new IdentityError('EMAIL_EXISTS');
  mailQueue.post(async () => ((await isTaken()) ? null : writeLater(parts, account, 'VERIFY_AND_CHANGE_EMAIL', writing)));
  return account.email;
}

/** Creates a code and its link without sending it, for operators. */
export async function makeLink(parts: AccountParts, request: SendOobCodeBody, client: Client): Promise<CodeMail> {
  const { requestType } = request;
  if (requestType !== 'PASSWORD_RESET' && requestType !== 'VERIFY_EMAIL' && requestType !== 'VERIFY_AND_CHANGE_EMAIL') {
    throw new IdentityError(requestType === undefined ? 'MISSING_REQ_TYPE' : 'INVALID_REQ_TYPE');
  }
  if (!request.email) throw new IdentityError('MISSING_EMAIL');
  const account = await findAccountByEmail(parts.database.query, readEmail(request.email));
  if (account === null) throw new IdentityError('EMAIL_NOT_FOUND');
  const newEmail = requestType === 'VERIFY_AND_CHANGE_EMAIL' ? readNewEmail(request) : null;
  const writing = { ...writingOf(parts, request, client), newEmail };
  return parts.database.change({}, (query) => write(parts, query, account, requestType, writing));
}

/**
 * Creates the code with which the former address can undo a change of address, in the same transaction: anything that voids codes later
 * voids this one, however long its mail waits.
 *
 * @returns sends the mail; call it after the commit
 */
export async function announceChange(
  parts: AccountParts,
  query: Query,
  account: Account,
  formerEmail: string,
  client: Client,
): Promise<() => void> {
  const { mailQueue } = parts;
  if (mailQueue === null) return () => {};
  const writing = { ...writingOf(parts, {}, client), newEmail: account.email };
  const mail = await write(parts, query, { ...account, email: formerEmail }, 'RECOVER_EMAIL', writing);
  return () => mailQueue.post(async () => mail);
}

function requireMailQueue({ mailQueue }: AccountParts): MailQueue {
  if (mailQueue === null) throw new IdentityError('OPERATION_NOT_ALLOWED', 'This server does not send email.');
  return mailQueue;
}

function readNewEmail({ newEmail }: SendOobCodeBody): string {
  if (!newEmail) throw new IdentityError('MISSING_NEW_EMAIL');
  return readEmail(newEmail, 'INVALID_NEW_EMAIL');
}

interface Writing {
  readonly language: MailLanguage;
  /** already checked, see readContinueUrl */
  readonly continueUrl: string | null;
  readonly newEmail: string | null;
}

function writingOf(parts: AccountParts, { continueUrl }: SendOobCodeBody, { headers }: Client): Writing {
  const allowedOrigins = [new URL(parts.publicUrl()).origin, ...parts.continueOrigins];
  return {
    language: mailLanguageOf(headers['x-firebase-locale']) ?? parts.mailLanguage?.() ?? 'en',
    continueUrl: continueUrl === undefined ? null : readContinueUrl(continueUrl, allowedOrigins),
    newEmail: null,
  };
}

/** Not synced to disk, which would delay all responses: a code lost in a power cut can be requested again. */
const writeLater = (parts: AccountParts, account: Account, requestType: OneTimeCodeType, writing: Writing): Promise<CodeMail> =>
  parts.database.change({ patient: true, light: true }, (query) => write(parts, query, account, requestType, writing));

async function write(
  { publicUrl, apiKey, projectId }: AccountParts,
  query: Query,
  account: Account,
  requestType: OneTimeCodeType,
  { language, continueUrl, newEmail }: Writing,
): Promise<CodeMail> {
  const oobCode = await createCode(query, account, requestType, newEmail);
  // If no key is configured, any value is accepted, and the page behind the link has its own.
  const link = actionLink(publicUrl(), apiKey ?? projectId, { requestType, oobCode, language, continueUrl });
  // Only the confirmation of a new address goes to the new one.
  const isToNew = requestType === 'VERIFY_AND_CHANGE_EMAIL' && newEmail !== null;
  const [email, otherEmail] = isToNew ? [newEmail, account.email] : [account.email, newEmail];
  return { email, requestType, oobCode, link, ...writeMail({ email, requestType, link, language, otherEmail }) };
}

const modes: Readonly<Record<OneTimeCodeType, string>> = {
  PASSWORD_RESET: 'resetPassword',
  VERIFY_EMAIL: 'verifyEmail',
  VERIFY_AND_CHANGE_EMAIL: 'verifyAndChangeEmail',
  RECOVER_EMAIL: 'recoverEmail',
};

/** The link in a mail, to the page for it, with the parameters of Identity Toolkit's own pages. */
export function actionLink(
  publicUrl: string,
  apiKey: string,
  {
    requestType,
    oobCode,
    language,
    continueUrl,
  }: Pick<CodeMail, 'requestType' | 'oobCode'> & Pick<Writing, 'language' | 'continueUrl'>,
): string {
  const url = new URL('/account/action', publicUrl);
  const parameters = { mode: modes[requestType], oobCode, apiKey, lang: language, ...(continueUrl !== null && { continueUrl }) };
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}
