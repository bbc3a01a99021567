import type { QueryClient } from '@tanstack/react-query';
import type { OpenHttp } from '../api/open-http.ts';
import type { Connection } from '../browser/connection.ts';
import { createStore } from '../browser/store.ts';
import type { AuthSession } from '../session/create-auth-session.ts';

/* What every page knows of the outbox; the outbox itself is fetched where there is one. */

export const OUTBOX_DATABASE = 'outbox';

/** What the outbox uses of the page. */
export interface OutboxPage {
  readonly session: AuthSession;
  readonly openHttp: OpenHttp;
  readonly connection: Connection;
  readonly queries: QueryClient;
}

/** null until the page has started. */
export const outboxPage = createStore<OutboxPage | null>(null);

/** How much of what is on this device may be shown to who is here: what their account has added, and what belongs to the device. */
export const outboxCount = createStore(0);

/** Has what an earlier visit left behind sent. A device on which nothing was ever put aside fetches nothing for it. */
export async function openOutboxDoor(page: OutboxPage): Promise<void> {
  outboxPage.set(page);
  // On plain http there is no place for sound, and so nothing was put aside.
  if (!window.isSecureContext) return;
  const databases = await window.indexedDB.databases?.();
  if (databases?.every(({ name }) => name !== OUTBOX_DATABASE)) return;
  await import('./outbox.ts');
}
