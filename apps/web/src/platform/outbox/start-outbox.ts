import { mayHaveDatabase } from '../storage/registry.ts';
import { type OutboxPage, outboxPage } from './outbox-page.ts';

/** Starts the outbox if an earlier visit has created it. A device that has never used it fetches nothing. */
export async function startOutboxIfUsed(page: OutboxPage): Promise<void> {
  outboxPage.set(page);
  // On plain http the browser offers no storage for audio, so nothing was ever added.
  if (window.isSecureContext && (await mayHaveDatabase('outbox'))) await import('./outbox.ts');
}
