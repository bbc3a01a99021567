import { type RefObject, useEffect, useEffectEvent } from 'react';
import { type KeyedVerdict, usePreferences } from '../../../../platform/storage/preferences.ts';

const isTypedInto = (target: Element): boolean => target.closest('input, textarea, select, [contenteditable], dialog') !== null;

/**
 * One key per choice, active only while the focus is in the bird's row, and never in a field or dialog (WCAG 2.1.4).
 *
 * @param part any element in the row, which is the list item around it
 */
export function useBirdReviewKeys(part: RefObject<HTMLElement | null>, onKey: (verdict: KeyedVerdict) => void) {
  const { reviewKeys } = usePreferences();
  const say = useEffectEvent(onKey);
  useEffect(() => {
    const row = part.current?.closest('li');
    const press = (event: KeyboardEvent): void => {
      const { key, target, ctrlKey, metaKey, altKey, repeat, isComposing, defaultPrevented } = event;
      if (ctrlKey || metaKey || altKey || repeat || isComposing || defaultPrevented) return;
      if (!(target instanceof Element) || isTypedInto(target)) return;
      const verdicts = ['confirmed', 'rejected', 'corrected'] as const;
      const verdict = verdicts.find((one) => reviewKeys[one] === key.toLowerCase());
      if (verdict === undefined) return;
      // Keeps the key of `It was …` from being typed into the field that it opens.
      event.preventDefault();
      say(verdict);
    };
    row?.addEventListener('keydown', press);
    return () => row?.removeEventListener('keydown', press);
  }, [part, reviewKeys]);
  return reviewKeys;
}
