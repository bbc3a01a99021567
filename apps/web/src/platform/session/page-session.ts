import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createOpenHttp } from '../api/open-http.ts';
import { publicConfigQuery } from '../api/public-config.ts';
import { assumedConnection, type Connection } from '../browser/connection.ts';
import { followWorker } from '../service-worker/follow-worker.ts';
import { forgetDevicePlace } from '../storage/device-place.ts';
import { forgetAnswers } from '../storage/kept-answers.ts';
import { createAuthSession } from './create-auth-session.ts';
import { createReturnUrl } from './return-url.ts';
import { findStorage } from './stored-session.ts';

/** @param entryScript its address is another in each version; that of this file need not be */
export function createPageSession(connection: Connection = assumedConnection, entryScript = '') {
  const queries = createQueryClient(connection);
  const session = createAuthSession({
    storage: findStorage('localStorage'),
    tabStorage: findStorage('sessionStorage'),
    events: window,
    async renew(refreshToken) {
      // Few pages ever come to this: the client is fetched when one does.
      const { createIdentityClient, identityOptionsOf } = await import('../identity/identity-client.ts');
      return createIdentityClient(identityOptionsOf(await queries.ensureQueryData(publicConfigQuery))).renew(refreshToken);
    },
    revoke: (token) => void revoke(queries, token),
  });
  session.onEnd((how) => {
    dropAnswers(queries);
    // One that has merely expired is its owner's still: no other account is told the place.
    if (how !== 'expired') forgetDevicePlace();
  });
  const worker = followWorker({
    container: navigator.serviceWorker,
    hostname: window.location.hostname,
    reload: () => window.location.reload(),
    ownScript: entryScript,
  });
  return {
    queries,
    session,
    openHttp: createOpenHttp(queries, session, connection),
    returnUrl: createReturnUrl(window.location.origin),
    connection,
    worker,
  };
}

/** What a page has once: its session, its answers from the server, its ways to it, and where its visitor wanted to go. */
export type PageSession = ReturnType<typeof createPageSession>;

function createQueryClient(connection: Connection): QueryClient {
  const queries = new QueryClient({
    // A call without an answer may mean that the server is out of reach; one that failed so is made again when it is back.
    queryCache: new QueryCache({ onError: connection.check }),
    mutationCache: new MutationCache({ onError: connection.check }),
    defaultOptions: {
      // A browser without internet may still reach a server on its own machine.
      queries: { retry: 1, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  connection.subscribe(() => {
    if (connection.snapshot()) void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  });
  return queries;
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

/** First parts of the keys of answers that belong to no account: the configuration, and what the code of a mail is good for. */
const impersonal: readonly unknown[] = [publicConfigQuery.queryKey[0], 'code', 'imported'];

/** Everything that the server has answered to an account goes with it. */
function dropAnswers(queries: QueryClient): void {
  const isPersonal = {
    predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => !impersonal.includes(queryKey[0]),
  };
  void queries.cancelQueries(isPersonal);
  queries.removeQueries(isPersonal);
  queries.getMutationCache().clear();
  forgetAnswers();
}
