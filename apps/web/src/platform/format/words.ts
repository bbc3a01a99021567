import { type ConfidenceWord, NEARLY_CERTAIN, type WordThresholds } from '@chiffchaff/contract';
import { useMemo } from 'react';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../api/public-config.ts';
import { formatPercent } from './format.ts';

interface Sureness {
  readonly confidence: number;
  readonly confidenceWord?: ConfidenceWord;
}

export function createWords(lowest: WordThresholds | null, t: Translate, language: string) {
  const thresholds = (['veryLikely', 'likely', 'perhaps', 'notSure'] as const).flatMap((word) =>
    lowest ? [{ word, fromConfidence: lowest[word] }] : [],
  );
  const wordOf = (confidence: number): ConfidenceWord =>
    thresholds.find(({ fromConfidence }) => confidence >= fromConfidence)?.word ?? 'none';
  const percentOf = (confidence: number): string => {
    if (confidence > 0.99) return t('answer.over');
    if (confidence > 0 && confidence < 0.01) return t('answer.under');
    const nearest = Math.round(confidence * 100) / 100;
    const keepsWord = wordOf(nearest) === wordOf(confidence);
    return formatPercent(keepsWord ? nearest : Math.floor(confidence * 100) / 100, language);
  };
  return {
    thresholds,
    /** Where a meter fills a square, from the lowest word to nearly certain. */
    steps: [...thresholds.map(({ fromConfidence }) => fromConfidence).toReversed(), NEARLY_CERTAIN],
    wordOf,
    /** Never claims a certainty that no test can show, and never rounds up to the next word's threshold. */
    percentOf,
    describe: ({ confidence, confidenceWord = wordOf(confidence) }: Sureness) =>
      t('answer.meter', { word: t(`word.${confidenceWord}`), percent: percentOf(confidence) }),
    rangeOf(word: ConfidenceWord) {
      const limits = [1, ...thresholds.map(({ fromConfidence }) => fromConfidence), 0].map((limit) => Math.round(limit * 100));
      const found = thresholds.findIndex((each) => each.word === word);
      const at = found < 0 ? thresholds.length : found;
      return { from: limits[at + 1] ?? 0, to: limits[at] ?? 100 };
    },
  };
}

export function useWords(): ConfidenceWords {
  const { t, i18n } = useTranslation();
  const lowest = usePublicConfig().data?.model?.words ?? null;
  return useMemo(() => createWords(lowest, t, i18n.language), [lowest, t, i18n.language]);
}

export type ConfidenceWords = ReturnType<typeof createWords>;
