import type { PublicConfig } from '@chiffchaff/contract';
import type { Config, Secrets } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { SharedState } from '../machines/shared-state.ts';
import type { Settings } from '../settings/settings.ts';
import type { OnAccountDeleted } from './accounts/account-deletion.ts';
import type { OnAccountEnded } from './accounts/account-ending.ts';
import type { AccountExportPart } from './accounts/account-export.ts';
import { createForeignIdentity } from './create-foreign-identity.ts';
import type { IdentityLog } from './mail/mail-queue.ts';
import { createDevMailbox } from './mail/mailer.ts';
import { createSmtpMailer } from './mail/smtp-mailer.ts';
import { type EmbeddedIdentity, type Identity, openEmbeddedIdentity } from './open-embedded-identity.ts';

/** Identity as configured, and what the rest of the server and the page need to know about it. */
export interface OpenedIdentity {
  readonly service: Identity;
  /** null when a foreign service manages the accounts */
  readonly embedded: EmbeddedIdentity | null;
  readonly publicIdentity: PublicConfig['identity'];
  /** Origins that the page calls for identity, besides its own. */
  readonly connectOrigins: readonly string[];
}

export interface OpenIdentityOptions extends Pick<SharedState, 'createLimiter' | 'signOuts'> {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly settings: Pick<Settings, 'current'>;
  readonly database: Database;
  /** `DATA_DIR`, absolute */
  readonly dataDir: string;
  /** Public origin of this server. */
  readonly publicUrl: () => string;
  readonly log: IdentityLog;
  /** Deletes the other data of an account. */
  readonly onAccountDeleted: OnAccountDeleted;
  /** Ends the work in progress of a disabled account. */
  readonly onAccountEnded: OnAccountEnded;
  /** Further sections of the export of an account. */
  readonly exportParts: readonly AccountExportPart[];
}

const GOOGLE = { baseUrl: 'https://identitytoolkit.googleapis.com', tokenBaseUrl: 'https://securetoken.googleapis.com' };

export async function openIdentity(options: OpenIdentityOptions): Promise<OpenedIdentity> {
  const { config, secrets, settings, dataDir, publicUrl, createLimiter, onAccountEnded, ...shared } = options;
  const { identityMode: mode, identityApiKey: apiKey, identityProjectId: projectId } = config;
  const common = { ...shared, projectId };
  if (mode === 'embedded') {
    const mailer = createMailer(config, secrets);
    const embedded = await openEmbeddedIdentity({
      ...common,
      onAccountEnded,
      dataDir,
      publicUrl,
      continueOrigins: config.continueOrigins,
      apiKey,
      adminSecret: secrets.identityAdminSecret,
      idTokenTtlSeconds: config.idTokenTtlSeconds,
      sessionIdleDays: config.sessionIdleDays,
      refreshRotation: config.refreshRotation,
      enumerationProtection: config.emailEnumerationProtection,
      signUp: config.signUp,
      mailer,
      mailLanguage: () => settings.current().defaultLanguage ?? 'en',
      limits: config,
      createLimiter,
    });
    // If no key is configured, any key is accepted, except an empty one.
    const publicIdentity = {
      mode,
      baseUrl: '',
      tokenBaseUrl: '',
      apiKey: apiKey ?? projectId,
      mailAvailable: mailer !== null,
      signUp: config.signUp,
    };
    return { service: embedded, embedded, publicIdentity, connectOrigins: [] };
  }
  const baseUrl = config.identityBaseUrl ?? GOOGLE.baseUrl;
  const tokenBaseUrl = config.identityTokenBaseUrl ?? (mode === 'firebase' ? GOOGLE.tokenBaseUrl : tokenBaseBeside(baseUrl));
  const key = apiKey ?? projectId;
  const service = createForeignIdentity({ ...common, mode, baseUrl, apiKey: key, production: config.production });
  return {
    service,
    embedded: null,
    publicIdentity: { mode, baseUrl, tokenBaseUrl, apiKey: key, mailAvailable: true, signUp: 'open' },
    connectOrigins: [...new Set([baseUrl, tokenBaseUrl].map((url) => new URL(url).origin))],
  };
}

/** The emulator serves both of Google's hosts below its own address, each under its host name. */
function tokenBaseBeside(baseUrl: string): string {
  return baseUrl.replace('identitytoolkit.googleapis.com', 'securetoken.googleapis.com');
}

/** @returns null if no mail server is configured */
export function createMailer({ devMailbox, mailFrom }: Config, { smtpUrl }: Secrets) {
  if (devMailbox) return createDevMailbox();
  return smtpUrl === null ? null : createSmtpMailer(smtpUrl, mailFrom);
}
