import { createStore } from '../browser/store.ts';
import type { PageSession } from '../session/page-session.ts';

/* The part of the outbox that every page loads; the outbox itself loads only if it exists on this device. */

/** What the outbox needs from the page. */
export type OutboxPage = Pick<PageSession, 'session' | 'openHttp' | 'connection' | 'queries'>;

/** Set before any screen is shown; null without a page, as in a test. */
export const outboxPage: { current: OutboxPage | null } = { current: null };

/** How many entries may be shown: those of the signed-in account and those that belong to the device. */
export const outboxCount = createStore(0);
