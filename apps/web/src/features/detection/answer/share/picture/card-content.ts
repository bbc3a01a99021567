import { isFound, isLikely, type NamedBird, namedBirds, type Prediction } from '@chiffchaff/contract';
import type { Translate } from '../../../../../languages/i18n.ts';
import { formatList } from '../../../../../platform/format/format.ts';
import { regionName } from '../../../../../platform/format/region-names.ts';
import type { ConfidenceWords } from '../../../../../platform/format/words.ts';
import { reviewOf } from '../../../../../ui/reviews/reviewed-name.tsx';
import { livesIn } from '../../birds/listed-birds.ts';
import { verdictSentence } from '../../wording.ts';

const MOST_BIRDS = 5;

/** The month of a recording: from its date, else from its week, without a year; null if neither is known. */
function monthOf({ date, week }: Prediction['conditions'], language: string): string | null {
  const shape = { month: 'long', timeZone: 'UTC' } as const;
  if (date) return new Intl.DateTimeFormat(language, { ...shape, year: 'numeric' }).format(Date.parse(date));
  // Four weeks per month, as in BirdNET; the year is unknown.
  return week === null ? null : new Intl.DateTimeFormat(language, shape).format(Date.UTC(2000, Math.ceil(week / 4) - 1, 15));
}

/**
 * The content of a result's card.
 *
 * @param prediction with its owner's reviews: rejected birds are left out, added ones included
 * @param region of the place: an ISO country code or a UN M49 area; null if it is not known
 */
export function cardContent(
  prediction: Prediction,
  region: string | null,
  t: Translate,
  language: string,
  words: ConfidenceWords,
) {
  const { conditions, reviews, verdict } = prediction;
  /** A bird in the words of the interface: how sure, and where it lives if that is needed; null if it is left out. */
  const cardBird = (bird: NamedBird) => {
    const { commonName, scientificName } = bird;
    const review = reviewOf(reviews, scientificName);
    if (review === undefined ? !isFound(bird) : review.verdict === 'rejected') return null;
    if (review?.verdict === 'corrected') {
      const instead = review.to ?? scientificName;
      return { name: review.toCommonName ?? instead, scientificName: instead, facts: t('share.byPerson') };
    }
    if (review?.verdict === 'confirmed') return { name: commonName, scientificName, facts: t('share.confirmed') };
    const regions = livesIn(bird, t, language);
    const facts = [words.describe(bird), ...(regions === null ? [] : [t('answer.livesIn', { regions })])];
    return { name: commonName, scientificName, facts: facts.join(' · ') };
  };
  // Birds that a person has corrected come first, the others by confidence.
  const rankOf = (bird: NamedBird) => (reviewOf(reviews, bird.scientificName) ? 2 : isLikely(bird.confidenceWord) ? 1 : 0);
  const found = namedBirds(prediction)
    .toSorted((one, other) => rankOf(other) - rankOf(one) || other.confidence - one.confidence)
    .flatMap((bird) => {
      const said = cardBird(bird);
      return said ? [{ said, best: bird.best }] : [];
    });
  const added = (reviews ?? [])
    .filter(({ verdict }) => verdict === 'added')
    .map(({ commonName, scientificName }) => ({ said: { name: commonName, scientificName, facts: t('share.byPerson') } }));
  const birds = [...new Map([...added, ...found].map(({ said }) => [said.scientificName, said])).values()];
  const left = birds.length - MOST_BIRDS;
  const wereRejected =
    birds.length === 0 && namedBirds(prediction).some(({ scientificName }) => reviewOf(reviews, scientificName));
  const needsSentence = birds.length === 0 || verdict.notExpectedHere !== null;
  return {
    /** Shown instead of birds if none is named. */
    sentence: wereRejected ? t('answer.noBird') : needsSentence ? verdictSentence(prediction, t, language) : null,
    birds: birds.slice(0, MOST_BIRDS),
    /** How many birds do not fit; null if all do. */
    more: left > 0 ? t('share.more', { count: left }) : null,
    /** Region and month, as far as they are known. */
    where: [region && regionName(region, t, language), monthOf(conditions, language)].filter(Boolean).join(' · '),
    attribution: prediction.model.attribution,
    /** The first bird's best moment, which is drawn, not written; null without birds. */
    best: found[0]?.best ?? null,
  };
}

/** Everything on a card. Nothing else of a prediction reaches it: no file name, coordinates, town, day or time. */
export type CardContent = ReturnType<typeof cardContent>;

/** The card's text alternative. */
export const cardInWords = ({ sentence, birds, more, where, attribution }: CardContent, language: string): string =>
  [
    sentence,
    formatList(
      birds.map(({ name, facts }) => `${name} (${facts})`),
      language,
    ),
    more,
    where,
    attribution,
  ]
    .filter(Boolean)
    .join('. ');
