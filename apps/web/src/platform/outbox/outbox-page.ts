import type { QueryClient } from '@tanstack/react-query';
import type { OpenHttp } from '../api/open-http.ts';
import type { Connection } from '../browser/connection.ts';
import { createStore } from '../browser/store.ts';
import type { AuthSession } from '../session/create-auth-session.ts';

/* The part of the outbox that every page loads; the outbox itself loads only if it exists on this device. */

/** What the outbox needs from the page. */
export interface OutboxPage {
  readonly session: AuthSession;
  readonly openHttp: OpenHttp;
  readonly connection: Connection;
  readonly queries: QueryClient;
}

/** null until the page has started. */
export const outboxPage = createStore<OutboxPage | null>(null);

/** How many entries may be shown: those of the signed-in account and those that belong to the device. */
export const outboxCount = createStore(0);
