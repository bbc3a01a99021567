import i18next from 'i18next';
import type { PageConfig } from '../api/public-config.ts';
import type { IdentityClientOptions } from './identity-client.ts';

/** Which identity service the page talks to, as the deployment says: an empty address means the API's own. */
export function identityOptionsOf({ apiOrigin, identity }: PageConfig): IdentityClientOptions {
  return {
    baseUrl: identity.baseUrl || apiOrigin,
    tokenBaseUrl: identity.tokenBaseUrl || identity.baseUrl || apiOrigin,
    apiKey: identity.apiKey,
    language: () => i18next.language,
  };
}
