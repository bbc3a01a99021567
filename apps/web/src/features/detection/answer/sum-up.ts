import { isRefused, type Prediction, reviewedAs } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatDuration, formatList } from '../../../platform/format/format.ts';
import { reviewOf } from '../../../ui/reviews/reviewed-name.tsx';
import type { ListedBirds } from './birds/listed-birds.ts';

/**
 * Describes the timeline in one sentence: the birds that the verdict names, as their owner has reviewed them, and how many more there are
 * on request.
 */
export function sumUp({ recording, reviews }: Prediction, birds: ListedBirds, t: TFunction, language: string): string {
  const duration = formatDuration(recording.durationSeconds, language);
  const named = [...birds.main, ...birds.besides].filter(({ isHidden }) => !isHidden);
  const left = named.flatMap(({ scientificName, commonName, detections }) => {
    const review = reviewOf(reviews, scientificName);
    const bird = review !== undefined && isRefused(review) ? reviewedAs(review) : { commonName };
    return bird === null ? [] : [{ name: bird.commonName, count: detections.length }];
  });
  const count = birds.lessLikely.length;
  if (left.length === 0) {
    if (named.length > 0) return t('reviewed.noneLeft', { duration });
    return t(count === 0 ? 'summaryLine.none' : 'summaryLine.lessLikely', { duration, count });
  }
  const rest = count === 0 ? '' : t('summaryLine.rest', { count });
  const [only] = left;
  if (only && left.length === 1 && only.count > 0)
    return t('summaryLine.one', { name: only.name, count: only.count, duration, rest });
  const names = formatList([...new Set(left.map(({ name }) => name))], language);
  return t('summaryLine.several', { names, duration, rest });
}
