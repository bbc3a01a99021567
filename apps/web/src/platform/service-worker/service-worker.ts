import { getCacheKeyForURL, matchPrecache, type PrecacheEntry, precache } from 'workbox-precaching';
import { dropOldShared, keepShared, SHARE_PATH } from '../storage/shared-recordings.ts';
import type { WorkerMessage } from './messages.ts';

declare const self: ServiceWorkerGlobalScope & { readonly __WB_MANIFEST: readonly (PrecacheEntry | string)[] };

const SHELL = '/index.html';
/** How long the server may take to deliver the page before the cached one is shown. */
const PATIENCE_MS = 4000;

/** Navigations to these always go to the server: its own pages, and downloads. */
const serverPath =
  /^\/(v1|v2|docs|dev|get_prediction|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)(\/|$)|\.\w+$/;

/** Statuses that a proxy returns while the server behind it is down. */
const AWAY_STATUSES: readonly number[] = [502, 503, 504];

/*
 * Caches the page's own files, as listed by the build. Besides shared recordings, the worker stores nothing else: no API response and no
 * model. It leaves requests for other files alone, so they go to the network as if there were no worker.
 */
precache([...self.__WB_MANIFEST]);

/**
 * Network first: the response brings the page's current security policy, and a gate in front of the server must be able to authenticate the
 * visitor. Without a response, the cached page is shown.
 */
async function answerNavigation(request: Request): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), PATIENCE_MS);
  try {
    const answer = await fetch(request, { signal: controller.signal });
    return AWAY_STATUSES.includes(answer.status) ? ((await matchPrecache(SHELL)) ?? answer) : answer;
  } catch {
    return (await matchPrecache(SHELL)) ?? Response.error();
  } finally {
    clearTimeout(timer);
  }
}

/** Stores what another app shares on this device; the page then opens and shows it as chosen. */
const answerShare = async (request: Request): Promise<Response> =>
  Response.redirect(`/process?shared=${await request.formData().then(keepShared, () => 'failed')}`, 303);

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin) return;
  if (request.method === 'POST' && url.pathname === SHARE_PATH) event.respondWith(answerShare(request));
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate') {
    event.waitUntil(dropOldShared());
    if (!serverPath.test(url.pathname)) event.respondWith(answerNavigation(request));
  } else if (getCacheKeyForURL(request.url) !== undefined) {
    event.respondWith(matchPrecache(request.url).then((kept) => kept ?? fetch(request)));
  }
});

self.addEventListener('message', (event: ExtendableMessageEvent) => {
  const message: WorkerMessage = event.data;
  if (message.type === 'takeOver') event.waitUntil(self.skipWaiting());
  else event.ports[0]?.postMessage(getCacheKeyForURL(message.url) !== undefined);
});
