import type { BirdReview } from './bird-reviews.ts';

/** Whether a review says that it was not this bird. */
export const isRefused = (review: Pick<BirdReview, 'verdict'> | undefined): boolean =>
  review?.verdict === 'rejected' || review?.verdict === 'corrected';

/** The species that a person names in a review; null for a rejected bird. */
export function reviewedAs({ verdict, scientificName, commonName, to, toCommonName }: BirdReview) {
  if (verdict === 'rejected') return null;
  return verdict === 'corrected' && to !== null
    ? { scientificName: to, commonName: toCommonName ?? to }
    : { scientificName, commonName };
}
