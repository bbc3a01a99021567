import type { SessionEnd } from './auth-session.ts';
import type { ItemStorage } from './stored-session.ts';

/*
 * That a session ended without its owner's doing is said until they have read it or signed in again: the tab remembers it over a reload.
 */
const key = 'sessionEnded';
const told = ['expired', 'signedOutElsewhere'] as const satisfies readonly SessionEnd[];

export function readSessionEnd(storage: ItemStorage | null): SessionEnd | null {
  const kept = storage?.getItem(key);
  return told.find((how) => how === kept) ?? null;
}

/** @param how null when there is nothing to say any more; who signed out knows */
export function writeSessionEnd(storage: ItemStorage | null, how: SessionEnd | null): void {
  try {
    if (told.some((known) => known === how)) storage?.setItem(key, String(how));
    else storage?.removeItem(key);
  } catch {
    // Then it is said as long as the page lives.
  }
}
