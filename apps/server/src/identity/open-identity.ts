import type { PublicConfig } from '@chiffchaff/contract';
import type { Config, Secrets } from '../config/config.ts';
import type { Settings } from '../settings/settings.ts';
import { createForeignIdentity } from './create-foreign-identity.ts';
import type { CommonIdentityOptions, EmbeddedIdentityOptions } from './embedded-parts.ts';
import { createDevMailbox, createSmtpMailer, type Mailer } from './mail/mailer.ts';
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

export interface OpenIdentityOptions
  extends Omit<CommonIdentityOptions, 'projectId'>,
    Pick<EmbeddedIdentityOptions, 'openKeys' | 'publicUrl' | 'onAccountEnded' | 'createLimiter'> {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly settings: Pick<Settings, 'current'>;
  /** null if no mail server is configured */
  readonly mailer: Mailer | null;
}

const GOOGLE = { baseUrl: 'https://identitytoolkit.googleapis.com', tokenBaseUrl: 'https://securetoken.googleapis.com' };

export async function openIdentity({
  config,
  secrets,
  settings,
  mailer,
  ...given
}: OpenIdentityOptions): Promise<OpenedIdentity> {
  const { identityMode: mode, identityApiKey: apiKey, identityProjectId: projectId } = config;
  // If no key is configured, any key is accepted, except an empty one.
  const key = apiKey ?? projectId;
  if (mode === 'embedded') {
    const embedded = await openEmbeddedIdentity({
      ...config,
      ...given,
      projectId,
      apiKey,
      adminSecret: secrets.identityAdminSecret,
      mailer,
      mailLanguage: () => settings.current().defaultLanguage ?? 'en',
      limits: config,
    });
    const { signUp } = config;
    const publicIdentity = { mode, baseUrl: '', tokenBaseUrl: '', apiKey: key, mailAvailable: mailer !== null, signUp };
    return { service: embedded, embedded, publicIdentity, connectOrigins: [] };
  }
  const baseUrl = config.identityBaseUrl ?? GOOGLE.baseUrl;
  const tokenBaseUrl = config.identityTokenBaseUrl ?? (mode === 'firebase' ? GOOGLE.tokenBaseUrl : tokenBaseBeside(baseUrl));
  const service = createForeignIdentity({ ...given, projectId, mode, baseUrl, apiKey: key, production: config.production });
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
