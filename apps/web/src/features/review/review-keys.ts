import type { ReviewVerdict } from '@chiffchaff/contract';

/** Actions that a key can trigger. */
export type ReviewAction = ReviewVerdict | 'skip' | 'undo' | 'play';
export const reviewActions = ['yes', 'no', 'unsure', 'other', 'skip', 'undo', 'play'] as const;

/** Keys in lower case; null for none. They last as long as the page, since each review has its own address. */
export type ReviewKeys = Readonly<Record<ReviewAction, string | null>>;

export const usualKeys: ReviewKeys = { yes: 'y', no: 'n', unsure: 'u', other: 'o', skip: 's', undo: 'z', play: ' ' };

/** Assigns a key to an action, and removes it from the one that had it. */
export function withKey(keys: ReviewKeys, action: ReviewAction, typed: string): ReviewKeys {
  const key = typed === ' ' ? ' ' : typed.trim().slice(-1).toLowerCase() || null;
  const freed = reviewActions.filter((other) => key !== null && keys[other] === key).map((other) => [other, null]);
  return { ...keys, ...Object.fromEntries(freed), [action]: key };
}

/** The action of a pressed key; null if the browser handles it. */
export function actionOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>,
  keys: ReviewKeys,
): ReviewAction | null {
  // A key held down would label clips that nobody has heard.
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return null;
  return reviewActions.find((action) => keys[action] === event.key.toLowerCase()) ?? null;
}
