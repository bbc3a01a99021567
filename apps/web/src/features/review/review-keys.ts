import type { ReviewVerdict } from '@chiffchaff/contract';

/** What a key can do. */
export type ReviewAction = ReviewVerdict | 'skip' | 'undo' | 'play';
export const reviewActions = ['yes', 'no', 'unsure', 'other', 'skip', 'undo', 'play'] as const;

/** Keys in lower case; null for none. They last as long as the page: each review has an address of its own. */
export type ReviewKeys = Readonly<Record<ReviewAction, string | null>>;

export const usualKeys: ReviewKeys = { yes: 'y', no: 'n', unsure: 'u', other: 'o', skip: 's', undo: 'z', play: ' ' };

/** Gives an action a key, and takes it from the one that had it. */
export function withKey(keys: ReviewKeys, action: ReviewAction, typed: string): ReviewKeys {
  const key = typed === ' ' ? ' ' : typed.trim().slice(-1).toLowerCase() || null;
  const freed = reviewActions.filter((other) => key !== null && keys[other] === key).map((other) => [other, null]);
  return { ...keys, ...Object.fromEntries(freed), [action]: key };
}

/** What a pressed key is to do; null where it stays the browser's. */
export function actionOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>,
  keys: ReviewKeys,
): ReviewAction | null {
  // A key that is held down would label clips that were not heard.
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return null;
  return reviewActions.find((action) => keys[action] === event.key.toLowerCase()) ?? null;
}
