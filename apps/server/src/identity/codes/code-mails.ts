import type { SendOobCodeBody } from '@chiffchaff/contract';
import type { OneTimeCodeType } from '../../database/tables.ts';
import type { AccountParts } from '../accounts/account-parts.ts';
import { readContinueUrl, readEmail, requireRecentSignIn } from '../accounts/account-rules.ts';
import { type Account, findAccountByEmail, type Query } from '../accounts/account-store.ts';
import type { Client } from '../accounts/sign-in.ts';
import { IdentityError } from '../identity-error.ts';
import { actionLink } from '../mail/action-link.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { type CodeMail, type MailLanguage, mailLanguageOf } from '../mail/mailer.ts';
import { createCode } from './one-time-codes.ts';

export interface CodeMailOptions extends AccountParts {
  /** null if no mail can be sent */
  readonly mailQueue: MailQueue | null;
  /** Language of mails to people who request none that is available; English by default. */
  readonly mailLanguage?: (() => MailLanguage) | undefined;
  /** Public origin of this server; never taken from a request. */
  readonly publicUrl: () => string;
  /** Origins, besides that of `publicUrl`, that a link may continue to. */
  readonly continueOrigins: readonly string[];
  readonly apiKey: string;
}

export type CodeMails = ReturnType<typeof createCodeMails>;

/** Sends mails with one-time codes. Every refusal is an IdentityError from the contract's catalogue. */
export function createCodeMails(options: CodeMailOptions) {
  const { database, access, limits } = options;

  function requireMailQueue(): MailQueue {
    if (options.mailQueue === null) throw new IdentityError('OPERATION_NOT_ALLOWED', 'This server does not send email.');
    return options.mailQueue;
  }

  const languageOf = (locale: string | undefined): MailLanguage => mailLanguageOf(locale) ?? options.mailLanguage?.() ?? 'en';

  function continueUrlOf({ continueUrl }: SendOobCodeBody): string | null {
    if (continueUrl === undefined) return null;
    return readContinueUrl(continueUrl, [new URL(options.publicUrl()).origin, ...options.continueOrigins]);
  }

  interface Writing {
    readonly language: MailLanguage;
    readonly continueUrl: string | null;
    readonly newEmail?: string;
  }

  async function write(query: Query, account: Account, requestType: OneTimeCodeType, writing: Writing): Promise<CodeMail> {
    const { language, continueUrl, newEmail } = writing;
    const oobCode = await createCode(query, account, requestType, newEmail);
    const link = actionLink(options.publicUrl(), options.apiKey, { requestType, oobCode, language, continueUrl });
    // Only the confirmation of a new address goes to the new one.
    const isToNew = requestType === 'VERIFY_AND_CHANGE_EMAIL' && newEmail !== undefined;
    const [email, otherEmail] = isToNew ? [newEmail, account.email] : [account.email, newEmail ?? null];
    return { email, requestType, oobCode, link, language, otherEmail };
  }

  /** Not synced to disk, which would delay all responses: a code lost in a power cut can be requested again. */
  const writeLater = (account: Account, requestType: OneTimeCodeType, writing: Writing): Promise<CodeMail> =>
    database.change({ patient: true, light: true }, (query) => write(query, account, requestType, writing));

  const writingOf = (request: SendOobCodeBody, { locale }: Client): Writing => ({
    language: languageOf(locale),
    continueUrl: continueUrlOf(request),
  });

  async function sendReset(request: SendOobCodeBody, client: Client): Promise<string> {
    if (!request.email) throw new IdentityError('MISSING_EMAIL');
    const email = readEmail(request.email);
    const writing = writingOf(request, client);
    const mailQueue = requireMailQueue();
    await limits.takeCodeMail(email, client.address, 'RESET_PASSWORD_EXCEED_LIMIT');
    if (!options.enumerationProtection && (await findAccountByEmail(database.query, email)) === null) {
      throw new IdentityError('EMAIL_NOT_FOUND');
    }
    // The posted job looks the account up, so the response takes as long when there is none.
    mailQueue.post(async () => {
      const account = await findAccountByEmail(database.query, email);
      if (account === null || account.disabled) return null;
      return writeLater(account, 'PASSWORD_RESET', writing);
    });
    return email;
  }

  async function sendVerification(request: SendOobCodeBody, client: Client): Promise<string> {
    const { account } = await access.verify(request.idToken);
    const writing = writingOf(request, client);
    const mailQueue = requireMailQueue();
    await limits.takeCodeMail(account.email, client.address, 'TOO_MANY_ATTEMPTS_TRY_LATER');
    mailQueue.post(() => writeLater(account, 'VERIFY_EMAIL', writing));
    return account.email;
  }

  async function sendChange(request: SendOobCodeBody, client: Client): Promise<string> {
    const { account, session } = await access.verify(request.idToken);
    if (!request.newEmail) throw new IdentityError('MISSING_NEW_EMAIL');
    const newEmail = readEmail(request.newEmail, 'INVALID_NEW_EMAIL');
    const writing = { ...writingOf(request, client), newEmail };
    requireRecentSignIn(session.authTimeSeconds, Date.now());
    const mailQueue = requireMailQueue();
    await limits.takeCodeMail(newEmail, client.address, 'TOO_MANY_ATTEMPTS_TRY_LATER');
    const isTaken = async () => (await findAccountByEmail(database.query, newEmail)) !== null;
    if (!options.enumerationProtection && (await isTaken())) throw new IdentityError('EMAIL_EXISTS');
    mailQueue.post(async () => ((await isTaken()) ? null : writeLater(account, 'VERIFY_AND_CHANGE_EMAIL', writing)));
    return account.email;
  }

  return {
    /** Sends the requested mail. @returns the address for the response */
    send: async (request: SendOobCodeBody, client: Client): Promise<string> => {
      switch (request.requestType) {
        case undefined:
        case '':
        case 'OOB_REQ_TYPE_UNSPECIFIED':
          throw new IdentityError('MISSING_REQ_TYPE');
        case 'PASSWORD_RESET':
          return sendReset(request, client);
        case 'VERIFY_EMAIL':
          return sendVerification(request, client);
        case 'VERIFY_AND_CHANGE_EMAIL':
          return sendChange(request, client);
        case 'EMAIL_SIGNIN':
          throw new IdentityError('OPERATION_NOT_ALLOWED', 'Signing in with an email link is not available here.');
        default:
          throw new IdentityError('INVALID_REQ_TYPE');
      }
    },

    /** Creates a code and its link without sending it, for operators. */
    makeLink: async (request: SendOobCodeBody, client: Client): Promise<CodeMail> => {
      const { requestType } = request;
      if (requestType !== 'PASSWORD_RESET' && requestType !== 'VERIFY_EMAIL' && requestType !== 'VERIFY_AND_CHANGE_EMAIL') {
        throw new IdentityError(requestType === undefined ? 'MISSING_REQ_TYPE' : 'INVALID_REQ_TYPE');
      }
      if (!request.email) throw new IdentityError('MISSING_EMAIL');
      const account = await findAccountByEmail(database.query, readEmail(request.email));
      if (account === null) throw new IdentityError('EMAIL_NOT_FOUND');
      const make = (writing: Writing) => database.change({}, (query) => write(query, account, requestType, writing));
      if (requestType !== 'VERIFY_AND_CHANGE_EMAIL') return make(writingOf(request, client));
      if (!request.newEmail) throw new IdentityError('MISSING_NEW_EMAIL');
      const newEmail = readEmail(request.newEmail, 'INVALID_NEW_EMAIL');
      return make({ ...writingOf(request, client), newEmail });
    },

    /**
     * Creates the code with which the former address can undo a change of address, in the same transaction: anything that voids codes later
     * voids this one, however long its mail waits.
     *
     * @returns sends the mail; call it after the commit
     */
    announceChange: async (query: Query, account: Account, formerEmail: string, { locale }: Client): Promise<() => void> => {
      const { mailQueue } = options;
      if (mailQueue === null) return () => {};
      const writing = { language: languageOf(locale), continueUrl: null, newEmail: account.email };
      const mail = await write(query, { ...account, email: formerEmail }, 'RECOVER_EMAIL', writing);
      return () => mailQueue.post(async () => mail);
    },
  };
}
