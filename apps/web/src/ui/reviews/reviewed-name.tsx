import { type BirdReview, birdsOfSentence, isRefused, namedBirds, type Prediction, reviewedAs } from '@chiffchaff/contract';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { formatList } from '../../platform/format/format.ts';

/** The review of one bird in an answer. */
export const reviewOf = (reviews: readonly BirdReview[] | undefined, scientificName: string): BirdReview | undefined =>
  reviews?.find((review) => review.scientificName === scientificName);

/** What the owner says was heard, whatever the conditions say: rejected birds are left out, corrected ones keep the name of their row. */
export const birdsSaid = ({ reviews = [] }: Pick<Prediction, 'reviews'>): readonly BirdReview[] =>
  reviews.filter((review) => reviewedAs(review) !== null);

interface Properties {
  readonly name: string;
  /** BCP 47 tag of the name, when it differs from the page's. */
  readonly language: string | undefined;
  readonly review: BirdReview | undefined;
}

/** A bird's name after review: struck through when rejected, and then preceded by the right bird if one was given. */
export function ReviewedName({ name, language, review }: Properties) {
  const { t } = useTranslation();
  const given = <span lang={language}>{name}</span>;
  if (review === undefined || !isRefused(review)) return given;
  const { to, toCommonName } = review;
  return (
    <>
      {to !== null && (
        <>
          <span lang={language}>{toCommonName ?? to}</span>{' '}
        </>
      )}
      <s>{given}</s>
      <span className="visually-hidden"> ({t('birdReview.rejectedByYou')})</span>
    </>
  );
}

/** What the owner said, where it takes the place of the result: nothing is left of its sentence, or there was none. Else empty. */
export function saidInstead(
  verdict: Prediction['verdict'],
  reviews: readonly BirdReview[] | undefined,
  t: Translate,
  language: string,
): string {
  const isLeft = birdsOfSentence(verdict, namedBirds({ verdict })).some(({ scientificName }) => {
    const review = reviewOf(reviews, scientificName);
    return review === undefined || !isRefused(review);
  });
  return isLeft ? '' : reviewsInWords(reviews, t, language);
}

const verdicts = ['confirmed', 'corrected', 'added', 'rejected'] as const;

/** The owner's reviews of an answer, one sentence for each verdict; empty when there are none. */
export function reviewsInWords(reviews: readonly BirdReview[] | undefined, t: Translate, language: string): string {
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
