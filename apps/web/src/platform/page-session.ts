import { QueryClient } from '@tanstack/react-query';
import { type AskedPath, createAskedPath } from './auth-session/asked-path.ts';
import type { AuthSession } from './auth-session/auth-session.ts';
import { createAuthSession } from './auth-session/create-auth-session.ts';
import { findLocalStorage } from './auth-session/stored-session.ts';
import { identityOptionsOf } from './identity/identity-options.ts';
import { publicConfigQuery } from './public-config.ts';

/** What a page has once: its session, its answers from the server, and where its visitor wanted to go. */
export interface PageSession {
  readonly queries: QueryClient;
  readonly session: AuthSession;
  readonly askedPath: AskedPath;
}

export function createPageSession(): PageSession {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: false } } });
  const session = createAuthSession({
    storage: findLocalStorage(),
    events: window,
    async renew(refreshToken) {
      // Few pages ever come to this: the client is fetched when one does.
      const { createIdentityClient } = await import('./identity/identity-client.ts');
      return createIdentityClient(identityOptionsOf(await queries.ensureQueryData(publicConfigQuery))).renew(refreshToken);
    },
    revoke: (token) => void revoke(queries, token),
  });
  session.onEnd(() => dropAnswers(queries));
  return { queries, session, askedPath: createAskedPath(window.location.origin) };
}

/** Other identity services know no end of a session but its expiry. A page that is being left still gets this call through. */
async function revoke(queries: QueryClient, token: string): Promise<void> {
  const config = queries.getQueryData(publicConfigQuery.queryKey);
  if (config?.identity.mode !== 'embedded') return;
  const url = `${config.apiOrigin}/v1/account/sessions/current`;
  await fetch(url, { method: 'DELETE', keepalive: true, headers: { authorization: `Bearer ${token}` } }).catch(() => {
    // Here it is over anyway; at the server it ends when it expires.
  });
}

/** First parts of the keys of answers that are nobody’s own: the configuration, and what the code of a mail is good for. */
const impersonal: readonly unknown[] = [publicConfigQuery.queryKey[0], 'code'];

/** Everything that the server has answered to an account goes with it. */
function dropAnswers(queries: QueryClient): void {
  const isPersonal = {
    predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => !impersonal.includes(queryKey[0]),
  };
  void queries.cancelQueries(isPersonal);
  queries.removeQueries(isPersonal);
  queries.getMutationCache().clear();
}
