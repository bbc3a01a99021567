import { join } from 'node:path';
import type { SignUp } from '@chiffchaff/contract';
import { type Database, isPostgres } from '../database/open-database.ts';
import type { SignedIn } from '../http/end-signed-out.ts';
import type { CreateLimiter } from '../http/limits/limiters.ts';
import { createAccountAccess } from './accounts/account-access.ts';
import { createAccountChanges } from './accounts/account-changes.ts';
import { type AccountDeletion, createAccountDeletion, type OnAccountDeleted } from './accounts/account-deletion.ts';
import { type OnAccountEnded, openAccountEnding } from './accounts/account-ending.ts';
import { type AccountExportPart, createAccountExport, type WriteAccountExport } from './accounts/account-export.ts';
import { type AttemptLimitOptions, createAttemptLimits, defaultAttemptLimits } from './accounts/attempt-limits.ts';
import { createOperatorActions } from './accounts/operator-actions.ts';
import { createPasswords, type PasswordOptions } from './accounts/passwords.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSignIn } from './accounts/sign-in.ts';
import type { SignOuts } from './accounts/sign-outs.ts';
import { type ApiTokens, createApiTokens } from './api-tokens/api-tokens.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { createCodeActions } from './codes/code-actions.ts';
import { createCodeMails } from './codes/code-mails.ts';
import { createOneTimeCodes } from './codes/one-time-codes.ts';
import { createInvitations } from './invitations/invitations.ts';
import { createMailQueue, type IdentityLog } from './mail/mail-queue.ts';
import type { DevMailbox, Mailer, MailLanguage } from './mail/mailer.ts';
import { createIdTokens } from './tokens/id-tokens.ts';
import { KEYS_FOLDER_NAME, openKeyFolder } from './tokens/key-folder.ts';
import { openKeyTable } from './tokens/key-table.ts';
import { createSigningKeys } from './tokens/signing-keys.ts';

/** What every mode of identity is built from. */
export interface CommonIdentityOptions {
  readonly database: Database;
  readonly projectId: string;
  readonly signOuts: SignOuts;
  /** Removes what other parts of the server keep of an account; called for deletions of every origin. */
  readonly onAccountDeleted: OnAccountDeleted;
  /** What other parts of the server add to the export of an account. */
  readonly exportParts: readonly AccountExportPart[];
  readonly log: IdentityLog;
  /** milliseconds since 1970; the machine's clock by default */
  readonly now?: (() => number) | undefined;
}

export interface EmbeddedIdentityOptions extends CommonIdentityOptions {
  /** Ends what other parts of the server have going on for an account that is disabled. */
  readonly onAccountEnded: OnAccountEnded;
  /** `DATA_DIR`; on one machine signing keys get a folder of their own in it */
  readonly dataDir: string;
  /** Where people reach this server: an origin. A function, because the port may be known only once the server listens. */
  readonly publicUrl: () => string;
  /** Other origins that links in emails may lead to. */
  readonly continueOrigins: readonly string[];
  /** null accepts any key that is not empty */
  readonly apiKey: string | null;
  /** Bearer secret of the operators' calls; null leaves those calls out. */
  readonly adminSecret: string | null;
  readonly idTokenTtlSeconds: number;
  /** A session that was not used for so many days is over. */
  readonly sessionIdleDays: number;
  /** Whether a refresh token is replaced when it is used. */
  readonly refreshRotation: boolean;
  readonly enumerationProtection: boolean;
  readonly signUp: SignUp;
  /** null leaves reset and verification out */
  readonly mailer: Mailer | DevMailbox | null;
  /** Of emails to people who ask for none that they are written in; English by default. */
  readonly mailLanguage?: () => MailLanguage;
  readonly passwords?: PasswordOptions;
  readonly limits?: Partial<AttemptLimitOptions>;
  readonly createLimiter?: CreateLimiter;
}

/** What the rest of the server knows of identity, in every mode. */
export interface Identity extends Authentication {
  readonly database: Database;
  readonly deletion: AccountDeletion;
  readonly export: WriteAccountExport;
  /** null when a foreign service keeps accounts and sessions */
  readonly sessions: Sessions | null;
  /** Whether a sign-in or an API token still holds; always true for sign-ins where a foreign service keeps the sessions. */
  isStillSignedIn(signedIn: SignedIn): Promise<boolean>;
  readonly apiTokens: ApiTokens;
  readonly signOuts: SignOuts;
  /** Forgets what is old, and takes up deletions that were not finished. */
  maintain(): Promise<void>;
  readonly now: () => number;
  close(): Promise<void>;
}

/** Our own identity service: what its routes call. */
export type EmbeddedIdentity = Awaited<ReturnType<typeof createEmbeddedIdentity>>;

const MAINTENANCE_EVERY_MS = 6 * 3_600_000;

/** Builds the embedded identity service. Creates a signing key where there is none, and takes up what an earlier run left unfinished. */
export async function createEmbeddedIdentity(options: EmbeddedIdentityOptions) {
  const { database, projectId, signOuts, log, now = Date.now, enumerationProtection, idTokenTtlSeconds } = options;
  const keyStore = isPostgres(database)
    ? await openKeyTable(database, now)
    : await openKeyFolder(join(options.dataDir, KEYS_FOLDER_NAME), now);
  const keys = createSigningKeys({ store: keyStore, idTokenTtlSeconds, now });
  const idTokens = createIdTokens({ keys, projectId, ttlSeconds: idTokenTtlSeconds, now });
  const passwords = await createPasswords(options.passwords);
  const sessions = createSessions({
    projectId,
    idleDays: options.sessionIdleDays,
    rotation: options.refreshRotation,
    signOuts,
    now,
  });
  const apiTokens = createApiTokens({ database, sessions, signOuts, now });
  const codes = createOneTimeCodes({ now });
  const invitations = createInvitations({ now });
  const limits = createAttemptLimits({ ...defaultAttemptLimits, ...options.limits }, options.createLimiter);
  const access = createAccountAccess({ query: database.query, sessions, idTokens });
  const mailQueue = options.mailer === null ? null : createMailQueue({ mailer: options.mailer, log });
  const { onAccountDeleted } = options;
  const deletion = createAccountDeletion({ database, sessions, onAccountDeleted, accountsStay: false, log, now });
  const ending = await openAccountEnding({ database, sessions, onAccountEnded: options.onAccountEnded, log });
  const codeMails = createCodeMails({
    database,
    codes,
    access,
    limits,
    mailQueue,
    mailLanguage: options.mailLanguage,
    enumerationProtection,
    now,
    publicUrl: options.publicUrl,
    continueOrigins: options.continueOrigins,
    // Any key will do where none is set, and the page behind the link knows its own.
    apiKey: options.apiKey ?? projectId,
  });
  const shared = { database, passwords, sessions, idTokens, access, codes, enumerationProtection, now };

  async function maintain(): Promise<void> {
    try {
      await sessions.purge(database.query);
      await codes.purge(database.query);
      await invitations.purge(database.query);
      await apiTokens.purge();
      await deletion.resume();
      await ending.resume();
    } catch (error) {
      log.error({ err: error }, 'old sessions, codes, invitations and tokens could not be deleted');
    }
  }
  await maintain();
  // Several machines see to it together.
  const maintenance = isPostgres(database) ? undefined : setInterval(() => void maintain(), MAINTENANCE_EVERY_MS).unref();

  const authentication = createAuthentication(async (idToken) => {
    const { account, session } = await access.verify(idToken);
    return {
      accountId: account.id,
      email: account.email,
      emailVerified: account.emailVerified,
      displayName: account.displayName,
      authTimeSeconds: session.authTimeSeconds,
      sessionId: session.id,
    };
  }, apiTokens.verify);

  return {
    ...authentication,
    isStillSignedIn: ({ accountId, sessionId, tokenId }: SignedIn) =>
      tokenId === undefined ? access.isOpen(accountId, sessionId) : apiTokens.holds(tokenId),
    apiTokens,
    options,
    database,
    keys,
    passwords,
    sessions,
    access,
    mailQueue,
    codeMails,
    deletion,
    signOuts,
    maintain,
    now,
    signIn: createSignIn({ ...shared, limits, invitations, signUp: options.signUp }),
    changes: createAccountChanges({ ...shared, deletion, announceChange: codeMails.announceChange }),
    codeActions: createCodeActions({ ...shared, limits, codeMails }),
    operators: createOperatorActions({ ...shared, deletion, ending }),
    export: createAccountExport({ database, sessions, apiTokens, parts: options.exportParts, now }),
    close: async (): Promise<void> => {
      clearInterval(maintenance);
      await ending.close();
      await keyStore.close();
      await mailQueue?.close();
    },
  };
}
