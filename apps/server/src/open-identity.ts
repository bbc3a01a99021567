import type { PublicConfig } from '@chiffchaff/contract';
import type { Config, Secrets } from './config.ts';
import type { Database } from './database/open-database.ts';
import type { OnAccountDeleted } from './identity/accounts/account-deletion.ts';
import type { OnAccountEnded } from './identity/accounts/account-ending.ts';
import type { AccountExportPart } from './identity/accounts/account-export.ts';
import { createForeignIdentity } from './identity/create-foreign-identity.ts';
import { createEmbeddedIdentity, type EmbeddedIdentity, type Identity } from './identity/create-identity.ts';
import type { IdentityLog } from './identity/mail/mail-queue.ts';
import { createDevMailbox } from './identity/mail/mailer.ts';
import { createSmtpMailer } from './identity/mail/smtp-mailer.ts';
import type { SharedState } from './machines/shared-state.ts';
import type { Settings } from './settings/settings.ts';

/** Identity as the configuration wants it, with what the rest of the server and the page are told of it. */
export interface OpenedIdentity {
  readonly service: Identity;
  /** null when accounts live elsewhere */
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
  /** Where people reach this server. */
  readonly publicUrl: () => string;
  readonly log: IdentityLog;
  /** milliseconds since 1970; the machine's clock by default */
  readonly now?: (() => number) | undefined;
  /** Removes what is kept of an account besides itself. */
  readonly onAccountDeleted: OnAccountDeleted;
  /** Ends what goes on for an account that is disabled. */
  readonly onAccountEnded: OnAccountEnded;
  /** What else belongs into the export of an account. */
  readonly exportParts: readonly AccountExportPart[];
}

const GOOGLE = { baseUrl: 'https://identitytoolkit.googleapis.com', tokenBaseUrl: 'https://securetoken.googleapis.com' };

export async function openIdentity(options: OpenIdentityOptions): Promise<OpenedIdentity> {
  const { config, secrets, settings, dataDir, publicUrl, createLimiter, onAccountEnded, ...shared } = options;
  const { identityMode: mode, identityApiKey: apiKey, identityProjectId: projectId } = config;
  const common = { ...shared, projectId };
  if (mode === 'embedded') {
    const mailer = createMailer(config, secrets);
    const embedded = await createEmbeddedIdentity({
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
    // Any key does where none is set, and an empty one would not.
    const publicIdentity = {
      mode,
      baseUrl: '',
      tokenBaseUrl: '',
      apiKey: apiKey ?? projectId,
      mailAvailable: mailer !== null,
      signUp: config.signUp,
      signUpOpen: config.signUp === 'open',
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
    publicIdentity: { mode, baseUrl, tokenBaseUrl, apiKey: key, mailAvailable: true, signUp: 'open', signUpOpen: true },
    connectOrigins: [...new Set([baseUrl, tokenBaseUrl].map((url) => new URL(url).origin))],
  };
}

/** The emulator serves both of Google's hosts below its own address, each under its name. */
function tokenBaseBeside(baseUrl: string): string {
  return baseUrl.replace('identitytoolkit.googleapis.com', 'securetoken.googleapis.com');
}

/** @returns null where the configuration names no mail server */
export function createMailer({ devMailbox, mailFrom }: Config, { smtpUrl }: Secrets) {
  if (devMailbox) return createDevMailbox();
  return smtpUrl === null ? null : createSmtpMailer(smtpUrl, mailFrom);
}
