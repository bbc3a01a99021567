import type { Database } from '../database/database.ts';
import type { RequestIdentity } from '../http/end-signed-out.ts';
import { createAccountAccess } from './accounts/account-access.ts';
import { type AccountDeletion, createAccountDeletion } from './accounts/account-deletion.ts';
import { openAccountEnding } from './accounts/account-ending.ts';
import { createAttemptLimits } from './accounts/attempt-limits.ts';
import { createPasswords } from './accounts/passwords.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import type { SignOuts } from './accounts/sign-outs.ts';
import { type ApiTokens, createApiTokens } from './api-tokens/api-tokens.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { purgeExpired } from './codes/one-time-codes.ts';
import type { AccountExportPart, AccountParts, EmbeddedIdentityOptions } from './embedded-parts.ts';
import { createMailQueue } from './mail/mail-queue.ts';
import { createIdTokens } from './tokens/id-tokens.ts';
import { createSigningKeys } from './tokens/signing-keys.ts';

/** The interface of identity to the rest of the server, the same in every mode. */
export interface Identity extends Authentication {
  readonly database: Database;
  readonly deletion: AccountDeletion;
  readonly exportParts: readonly AccountExportPart[];
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
  const { database, projectId, signOuts, log, idTokenTtlSeconds } = options;
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
  const methods: AccountParts = { ...options, passwords, sessions, keys, idTokens, access, limits, deletion, ending, mailQueue };

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
    /** What the routes of Identity Toolkit's methods need. */
    methods,
    exportParts: options.exportParts,
    close: async (): Promise<void> => {
      await ending.close();
      await keyStore.close();
      await mailQueue?.close();
    },
  };
}
