import { createAccountDeletion } from './accounts/account-deletion.ts';
import { createAccountExport } from './accounts/account-export.ts';
import { createSessions } from './accounts/sessions.ts';
import { createApiTokens } from './api-tokens/api-tokens.ts';
import { createAuthentication } from './authentication.ts';
import type { CommonIdentityOptions } from './embedded-parts.ts';
import { createAccountCheck } from './foreign/account-check.ts';
import { createEmulatorTokenReader, createFirebaseTokenReader, GOOGLE_KEYS_URL } from './foreign/foreign-tokens.ts';
import { isRefusal } from './identity-error.ts';
import type { Identity } from './open-embedded-identity.ts';

export interface ForeignIdentityOptions extends CommonIdentityOptions {
  readonly mode: 'firebase' | 'emulator';
  /** `https://identitytoolkit.googleapis.com`, or an emulator's address with that name as its path */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the service publishes its token keys; Google's by default. Not used in emulator mode. */
  readonly keysUrl?: string;
  /** Whether this is a production deployment, which refuses the emulator. */
  readonly production: boolean;
}

/**
 * Identity for deployments whose accounts live at Google/Firebase or in the Firebase Auth emulator. This server then has no identity
 * routes; it only checks ID tokens, with account states from the service that are at most a minute old.
 */
export function createForeignIdentity(options: ForeignIdentityOptions): Identity {
  const { mode, database, projectId, signOuts, log, keysUrl = GOOGLE_KEYS_URL } = options;
  if (mode === 'emulator' && options.production)
    throw new Error('Unsigned tokens from the emulator are never accepted in production.');
  const readToken =
    mode === 'firebase' ? createFirebaseTokenReader({ projectId, keysUrl }) : createEmulatorTokenReader(projectId);
  const checkAccount = createAccountCheck({ baseUrl: options.baseUrl, apiKey: options.apiKey });

  const apiTokens = createApiTokens({ database, sessions: null, signOuts });
  const authentication = createAuthentication(async (idToken) => {
    const { issuedAtSeconds, ...principal } = await readToken(idToken);
    await checkAccount(idToken).catch(async (error: unknown) => {
      // The service does not notify this server of disabled or deleted accounts.
      if (isRefusal(error, 'USER_DISABLED', 'USER_NOT_FOUND')) await apiTokens.endAll(principal.accountId);
      throw error;
    });
    return { ...principal, sessionId: null };
  }, apiTokens.verify);
  // This mode has no sessions, but account deletion calls `sessions.end`, which also revokes API tokens.
  const sessions = createSessions({ projectId, idleDays: 1, signOuts });
  const { onAccountDeleted } = options;
  const deletion = createAccountDeletion({ database, sessions, onAccountDeleted, accountsStay: true, log });
  const maintain = (): Promise<void> =>
    Promise.all([apiTokens.purge(), deletion.resume()]).then(
      () => {},
      (error: unknown) => {
        log.error({ err: error }, 'unfinished deletions could not be looked up; the next clean-up will try again');
      },
    );
  // Runs in the background while requests are served.
  const resumed = maintain();

  return {
    ...authentication,
    isStillSignedIn: async ({ tokenId }) => tokenId === undefined || (await apiTokens.holds(tokenId)),
    apiTokens,
    database,
    deletion,
    signOuts,
    maintain,
    sessions: null,
    export: createAccountExport({ database, sessions: null, apiTokens, parts: options.exportParts }),
    close: () => resumed,
  };
}
