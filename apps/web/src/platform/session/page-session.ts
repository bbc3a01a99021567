import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { publicConfigQuery } from '../api/public-config.ts';
import { assumedConnection, type Connection } from '../browser/connection.ts';
import { openOnce } from '../browser/open-once.ts';
import { createStore } from '../browser/store.ts';
import { openIdentity } from '../identity/open-identity.ts';
import { followWorker } from '../service-worker/follow-worker.ts';
import { isPlaceOfAnother } from '../storage/device-place.ts';
import { forgetAnswers, forgetAnswersOfOthers } from '../storage/kept-answers.ts';
import { accountHere, findItems, forgetAccount } from '../storage/registry.ts';
import { createAuthSession } from './create-auth-session.ts';
import { createReturnUrl } from './return-url.ts';

/** @param entryScript URL of the entry script, which differs between versions; this file's URL may not */
export function createPageSession(connection: Connection = assumedConnection, entryScript = '') {
  const queries = createQueryClient(connection);
  const session = createAuthSession({
    storage: findItems('localStorage'),
    tabStorage: findItems('sessionStorage'),
    events: window,
    renew: async (refreshToken) => (await openIdentity(queries)).renew(refreshToken),
    revoke: (token) => void revoke(queries, token),
  });
  const termsTick = createStore(false);
  session.onEnd(() => {
    dropAnswers(queries);
    termsTick.set(false); // whoever is next agrees for themselves
  });
  let { person } = session.snapshot();
  session.subscribe(() => {
    const { person: present, state } = session.snapshot();
    // Where another account is signed in by now, its tab has seen to it.
    const hasLeft = present !== person && (state.localId !== null || accountHere() === null);
    person = present;
    if (!state.loading) forgetAnswersOfOthers(state.localId);
    if (hasLeft || isPlaceOfAnother(state.localId)) forgetAccount().catch(() => {}); // where storage is refused, nothing was left
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
    /** Returns the page's one API client; the first call loads it and the configuration. @throws when either fails to load */
    openHttp: openOnce(async () => {
      const [{ createHttpClient }, { apiOrigin }] = await Promise.all([
        import('../api/http-client.ts'),
        queries.ensureQueryData(publicConfigQuery),
      ]);
      return createHttpClient(apiOrigin, session, connection.check);
    }),
    returnUrl: createReturnUrl(window.location.origin),
    termsTick,
    connection,
    worker,
  };
}

/** The singletons of a page: its session, its query cache, its connections to the server, and where its visitor wanted to go. */
export type PageSession = ReturnType<typeof createPageSession>;
export type OpenHttp = PageSession['openHttp'];

function createQueryClient(connection: Connection): QueryClient {
  const queries = new QueryClient({
    // A failed call may mean that the server is out of reach. Failed queries are repeated when it is back.
    queryCache: new QueryCache({ onError: connection.check }),
    mutationCache: new MutationCache({ onError: connection.check }),
    defaultOptions: {
      // A browser without internet access may still reach a server on its own machine.
      queries: { retry: 1, refetchOnWindowFocus: false, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  connection.subscribe(() => {
    if (connection.snapshot()) void queries.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  });
  return queries;
}

/** Only our own identity service can end a session before it expires. `keepalive` lets the request outlive the page. */
async function revoke(queries: QueryClient, token: string): Promise<void> {
  const config = queries.getQueryData(publicConfigQuery.queryKey);
  if (config?.identity.mode !== 'embedded') return;
  const url = `${config.apiOrigin}/v1/account/sessions/current`;
  await fetch(url, { method: 'DELETE', keepalive: true, headers: { authorization: `Bearer ${token}` } }).catch(() => {
    // The session is over on this page in any case; at the server it ends when it expires.
  });
}

/** First elements of query keys that belong to no account: the configuration, what the code of an email is for, and imported modules. */
const impersonal: readonly unknown[] = [publicConfigQuery.queryKey[0], 'code', 'imported'];

/** Drops every response that an account has received. */
function dropAnswers(queries: QueryClient): void {
  const isPersonal = {
    predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => !impersonal.includes(queryKey[0]),
  };
  void queries.cancelQueries(isPersonal);
  queries.removeQueries(isPersonal);
  queries.getMutationCache().clear();
  forgetAnswers();
}
