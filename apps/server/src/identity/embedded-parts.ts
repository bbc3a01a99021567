import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { CreateLimiter } from '../http/limits/limiters.ts';
import type { AccountAccess } from './accounts/account-access.ts';
import type { AccountDeletion, OnAccountDeleted } from './accounts/account-deletion.ts';
import type { AccountEnding, OnAccountEnded } from './accounts/account-ending.ts';
import type { AttemptLimitOptions, AttemptLimits } from './accounts/attempt-limits.ts';
import type { PasswordOptions, Passwords } from './accounts/passwords.ts';
import type { Sessions } from './accounts/sessions.ts';
import type { SignOuts } from './accounts/sign-outs.ts';
import type { IdentityLog, MailQueue } from './mail/mail-queue.ts';
import type { DevMailbox, Mailer, MailLanguage } from './mail/mailer.ts';
import type { IdTokens } from './tokens/id-tokens.ts';
import type { KeyStore, SigningKeys } from './tokens/signing-keys.ts';

/** A section that another part of the server adds to the export, under its name. */
export interface AccountExportPart {
  readonly name: string;
  /** Large sections are streamed row by row, as a JSON array. A row that is a Buffer is already JSON. */
  export(accountId: string): Promise<unknown> | AsyncIterable<unknown>;
}

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
  /** Public origin of this server, never taken from a request. A function, because the port may be known only once the server listens. */
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

/** What the methods of the embedded service share. */
export interface AccountParts extends Omit<EmbeddedIdentityOptions, 'limits' | 'passwords'> {
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly keys: SigningKeys;
  readonly idTokens: IdTokens;
  readonly access: AccountAccess;
  readonly limits: AttemptLimits;
  readonly deletion: AccountDeletion;
  readonly ending: AccountEnding;
  /** null if no mail can be sent */
  readonly mailQueue: MailQueue | null;
}

/** What a method reads of its client. An address given by a proxy counts only if the server trusts the proxy. */
export type Client = Pick<FastifyRequest, 'ip' | 'headers'>;
