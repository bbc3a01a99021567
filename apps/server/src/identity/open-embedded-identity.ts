import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { RequestIdentity } from '../http/end-signed-out.ts';
import type { CreateLimiter } from '../http/limits/limiters.ts';
import { createAccountAccess } from './accounts/account-access.ts';
import { createAccountChanges } from './accounts/account-changes.ts';
import { type AccountDeletion, createAccountDeletion, type OnAccountDeleted } from './accounts/account-deletion.ts';
import { type OnAccountEnded, openAccountEnding } from './accounts/account-ending.ts';
import { type AccountExportPart, createAccountExport, type WriteAccountExport } from './accounts/account-export.ts';
import { type AttemptLimitOptions, createAttemptLimits } from './accounts/attempt-limits.ts';
import { createOperatorActions } from './accounts/operator-actions.ts';
import { createPasswords, type PasswordOptions } from './accounts/passwords.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSignIn } from './accounts/sign-in.ts';
import type { SignOuts } from './accounts/sign-outs.ts';
import { type ApiTokens, createApiTokens } from './api-tokens/api-tokens.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { createCodeMails } from './codes/code-mails.ts';
import { createCodeRedemption } from './codes/code-redemption.ts';
import { purgeExpired } from './codes/one-time-codes.ts';
import { createMailQueue, type IdentityLog } from './mail/mail-queue.ts';
import type { DevMailbox, Mailer, MailLanguage } from './mail/mailer.ts';
import { createIdTokens } from './tokens/id-tokens.ts';
import type { KeyStore } from './tokens/signing-key.ts';
import { createSigningKeys } from './tokens/signing-keys.ts';

/** Options of every identity mode. */
export interface CommonIdentityOptions {
  readonly database: Database;
  readonly projectId: string;
  readonly signOuts: SignOuts;
  /** Deletes the data that other parts of the server keep for an account, however the deletion was requested. */
  readonly onAccountDeleted: OnAccountDeleted;
  /** Sections that other parts of the server add to an account export. */
  readonly exportParts: readonly AccountExportPart[];
  readonly log: IdentityLog;
}

/** Variables that the embedded service uses as they are. */
type EmbeddedVariables = Pick<
  Config,
  'continueOrigins' | 'idTokenTtlSeconds' | 'sessionIdleDays' | 'enumerationProtection' | 'signUp'
>;

export interface EmbeddedIdentityOptions extends CommonIdentityOptions, EmbeddedVariables {
  /** Stops the work of other parts of the server for an account that was disabled. */
  readonly onAccountEnded: OnAccountEnded;
  /** Opens the keys that sign ID tokens. */
  readonly openKeys: () => Promise<KeyStore>;
  /** Public origin of this server. A function, because the port may be known only once the server listens. */
  readonly publicUrl: () => string;
  /** null accepts any non-empty key */
  readonly apiKey: string | null;
  /** Bearer secret for operator calls; null disables these calls. */
  readonly adminSecret: string | null;
  /** null disables password reset and email verification */
  readonly mailer: Mailer | DevMailbox | null;
  /** Language of emails to people who request none that is available; English by default. */
  readonly mailLanguage?: () => MailLanguage;
  readonly passwords?: PasswordOptions;
  readonly limits: AttemptLimitOptions;
  readonly createLimiter?: CreateLimiter;
}

/** The interface of identity to the rest of the server, the same in every mode. */
export interface Identity extends Authentication {
  readonly database: Database;
  readonly deletion: AccountDeletion;
  readonly export: WriteAccountExport;
  /** null when a foreign service manages accounts and sessions */
  readonly sessions: Sessions | null;
  /** Whether a session or an API token is still valid; always true for sign-ins at a foreign service. */
  isStillSignedIn(signedIn: RequestIdentity): Promise<boolean>;
  readonly apiTokens: ApiTokens;
  readonly signOuts: SignOuts;
  /** Deletes expired data and resumes unfinished deletions. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/** The embedded identity service, as its routes see it. */
export type EmbeddedIdentity = Awaited<ReturnType<typeof openEmbeddedIdentity>>;

/** Builds the embedded identity service. Creates a signing key if there is none, and resumes what an earlier run left unfinished. */
export async function openEmbeddedIdentity(options: EmbeddedIdentityOptions) {
  const { database, projectId, signOuts, log, enumerationProtection, idTokenTtlSeconds } = options;
  const keyStore = await options.openKeys();
  const keys = createSigningKeys(keyStore, idTokenTtlSeconds);
  const idTokens = createIdTokens({ keys, projectId, ttlSeconds: idTokenTtlSeconds });
  const passwords = await createPasswords(options.passwords);
  const sessions = createSessions({ projectId, idleDays: options.sessionIdleDays, signOuts });
  const apiTokens = createApiTokens({ database, sessions, signOuts });
  const limits = createAttemptLimits(options.limits, options.createLimiter);
  const access = createAccountAccess(database.query, sessions, idTokens);
  const mailQueue = options.mailer === null ? null : createMailQueue({ mailer: options.mailer, log });
  const { onAccountDeleted } = options;
  const deletion = createAccountDeletion({ database, sessions, onAccountDeleted, accountsStay: false, log });
  const ending = await openAccountEnding({ database, sessions, onAccountEnded: options.onAccountEnded, log });
  const parts = { database, passwords, sessions, idTokens, access, limits, enumerationProtection };
  const codeMails = createCodeMails({
    ...parts,
    mailQueue,
    mailLanguage: options.mailLanguage,
    publicUrl: options.publicUrl,
    continueOrigins: options.continueOrigins,
    // If no key is configured, any value is accepted, and the page behind the link has its own.
    apiKey: options.apiKey ?? projectId,
  });

  async function maintain(): Promise<void> {
    try {
      await database.change({}, (query) => sessions.purge(query));
      await database.change({}, (query) => purgeExpired(query, 'oneTimeCodes', 7));
      await database.change({}, (query) => purgeExpired(query, 'invitations', 16));
      await apiTokens.purge();
      await deletion.resume();
      await ending.resume();
    } catch (error) {
      log.error({ err: error }, 'old sessions, codes, invitations and tokens could not be deleted');
    }
  }
  await maintain();

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
    isStillSignedIn: ({ accountId, sessionId, tokenId }: RequestIdentity) =>
      tokenId === undefined ? access.isOpen(accountId, sessionId) : apiTokens.holds(tokenId),
    apiTokens,
    database,
    sessions,
    deletion,
    signOuts,
    maintain,
    /** What the routes of Identity Toolkit need. */
    methods: {
      options,
      keys,
      access,
      mailQueue,
      codeMails,
      signIn: createSignIn({ ...parts, signUp: options.signUp }),
      changes: createAccountChanges({ ...parts, deletion, announceChange: codeMails.announceChange }),
      codeRedemption: createCodeRedemption({ ...parts, codeMails }),
      operators: createOperatorActions({ ...parts, deletion, ending }),
    },
    export: createAccountExport({ database, sessions, apiTokens, parts: options.exportParts }),
    close: async (): Promise<void> => {
      await ending.close();
      await keyStore.close();
      await mailQueue?.close();
    },
  };
}
