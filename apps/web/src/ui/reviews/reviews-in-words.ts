import type { BirdReview } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatList } from '../../platform/format/format.ts';

const verdicts = ['confirmed', 'corrected', 'added', 'rejected'] as const;

/** The owner's reviews of an answer, one sentence for each verdict; empty when there are none. */
export function reviewsInWords(reviews: readonly BirdReview[] | undefined, t: TFunction, language: string): string {
  const sentences = verdicts.flatMap((verdict) => {
    const birds = (reviews ?? []).filter((review) => review.verdict === verdict);
    if (birds.length === 0) return [];
    const names = birds.map(({ commonName, to, toCommonName }) =>
      verdict === 'corrected' ? (toCommonName ?? to ?? commonName) : commonName,
    );
    return [t(`reviewed.${verdict}`, { names: formatList([...new Set(names)], language) })];
  });
  return sentences.join(' ');
}
