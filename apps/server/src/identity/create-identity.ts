import { join } from 'node:path';
import type { Database } from '../database/open-database.ts';
import { createAccountAccess } from './accounts/account-access.ts';
import { createAccountChanges } from './accounts/account-changes.ts';
import { type AccountDeletion, createAccountDeletion, type OnAccountDeleted } from './accounts/account-deletion.ts';
import { type AccountExportPart, createAccountExport, type WriteAccountExport } from './accounts/account-export.ts';
import { type AttemptLimitOptions, createAttemptLimits, defaultAttemptLimits } from './accounts/attempt-limits.ts';
import { createOperatorActions } from './accounts/operator-actions.ts';
import { createPasswords, type PasswordOptions } from './accounts/passwords.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSignIn } from './accounts/sign-in.ts';
import { createSignOuts, type SignOuts } from './accounts/sign-outs.ts';
import { type Authentication, createAuthentication, type Principal } from './authentication.ts';
import { createCodeActions } from './codes/code-actions.ts';
import { createCodeMails } from './codes/code-mails.ts';
import { createOneTimeCodes } from './codes/one-time-codes.ts';
import { createMailQueue, type IdentityLog } from './mail/mail-queue.ts';
import type { DevMailbox, Mailer } from './mail/mailer.ts';
import { createIdTokens } from './tokens/id-tokens.ts';
import { createSigningKeys, KEYS_FOLDER_NAME } from './tokens/signing-keys.ts';

/** What every mode of identity is built from. */
export interface CommonIdentityOptions {
  readonly database: Database;
  readonly projectId: string;
  /** Removes what other parts of the server keep of an account; called for deletions of every origin. */
  readonly onAccountDeleted: OnAccountDeleted;
  /** What other parts of the server add to the export of an account. */
  readonly exportParts: readonly AccountExportPart[];
  readonly log: IdentityLog;
  /** milliseconds since 1970; the machine's clock by default */
  readonly now?: () => number;
}

export interface EmbeddedIdentityOptions extends CommonIdentityOptions {
  /** `DATA_DIR`; signing keys get a folder of their own in it */
  readonly dataDir: string;
  /** Where people reach this server: an origin. A function, because the port may be known only once the server listens. */
  readonly publicUrl: () => string;
  /** Further origins that links in mails may lead on to. */
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
  readonly signUpOpen: boolean;
  /** null leaves reset and verification out */
  readonly mailer: Mailer | DevMailbox | null;
  readonly passwords?: PasswordOptions;
  readonly limits?: Partial<AttemptLimitOptions>;
}

/** What the rest of the server knows of identity, in every mode. */
export interface Identity extends Authentication {
  readonly database: Database;
  readonly deletion: AccountDeletion;
  readonly export: WriteAccountExport;
  /** null when a foreign service keeps accounts and sessions */
  readonly sessions: Sessions | null;
  /** Whether a sign-in still holds; always true where a foreign service keeps the sessions. */
  isStillSignedIn(signedIn: Pick<Principal, 'accountId' | 'sessionId'>): Promise<boolean>;
  readonly signOuts: SignOuts;
  readonly now: () => number;
  close(): Promise<void>;
}

/** Our own identity service: what its routes call. */
export type EmbeddedIdentity = Awaited<ReturnType<typeof createEmbeddedIdentity>>;

const MAINTENANCE_EVERY_MS = 6 * 3_600_000;

/** Builds the embedded identity service. Creates a signing key where there is none, and takes up what an earlier run left unfinished. */
export async function createEmbeddedIdentity(options: EmbeddedIdentityOptions) {
  const { database, projectId, log, now = Date.now, enumerationProtection, idTokenTtlSeconds } = options;
  const keys = await createSigningKeys({ folder: join(options.dataDir, KEYS_FOLDER_NAME), idTokenTtlSeconds, now });
  const idTokens = createIdTokens({ keys, projectId, ttlSeconds: idTokenTtlSeconds, now });
  const passwords = await createPasswords(options.passwords);
  const signOuts = createSignOuts();
  const sessions = createSessions({
    projectId,
    idleDays: options.sessionIdleDays,
    rotation: options.refreshRotation,
    signOuts,
    now,
  });
  const codes = createOneTimeCodes({ now });
  const limits = createAttemptLimits({ ...defaultAttemptLimits, ...options.limits });
  const access = createAccountAccess({ query: database.query, sessions, idTokens });
  if (options.mailer === null) log.warn({}, 'no mail server is set: passwords cannot be reset and addresses cannot be verified');
  const mailQueue = options.mailer === null ? null : createMailQueue({ mailer: options.mailer, log });
  const deletion = createAccountDeletion({ database, sessions, onAccountDeleted: options.onAccountDeleted, log, now });
  const codeMails = createCodeMails({
    database,
    codes,
    access,
    limits,
    mailQueue,
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
      await deletion.resume();
    } catch (error) {
      log.error({ err: error }, 'old sessions and codes could not be cleared away');
    }
  }
  await maintain();
  const maintenance = setInterval(() => void maintain(), MAINTENANCE_EVERY_MS);
  maintenance.unref();

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
  });

  return {
    ...authentication,
    isStillSignedIn: ({ accountId, sessionId }: Pick<Principal, 'accountId' | 'sessionId'>) =>
      access.isOpen(accountId, sessionId),
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
    now,
    signIn: createSignIn({ ...shared, limits, signUpOpen: options.signUpOpen }),
    changes: createAccountChanges({ ...shared, deletion, announceChange: codeMails.announceChange }),
    codeActions: createCodeActions({ ...shared, limits, codeMails }),
    operators: createOperatorActions({ ...shared, deletion, signOuts }),
    export: createAccountExport(database, sessions, options.exportParts, now),
    close: async (): Promise<void> => {
      clearInterval(maintenance);
      await mailQueue?.close();
    },
  };
}
