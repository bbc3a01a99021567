import type { WordEvidence } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { formatPercent } from './format.ts';

/** How often a word was right in tests, in words; a dash where it was never said. */
export function useRightOf() {
  const { t, i18n } = useTranslation();
  return (words: readonly WordEvidence[]) =>
    (wanted: Pick<WordEvidence, 'word'>): string => {
      const { right = 0, of = 0 } = words.find(({ word }) => word === wanted.word) ?? {};
      return of === 0 ? '–' : t('about.rightOfValue', { right, of, share: formatPercent(right / of, i18n.language) });
    };
}
