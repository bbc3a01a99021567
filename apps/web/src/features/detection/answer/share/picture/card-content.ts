import { isLikely, type NamedBird, namedBirds, type Prediction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatList } from '../../../../../platform/format/format.ts';
import { regionNames } from '../../../../../platform/format/region-names.ts';
import type { ConfidenceWords } from '../../../../../platform/format/words.ts';
import { correctionOf } from '../../../../../ui/corrections/reviewed-name.tsx';
import { livesIn } from '../../verdict/lives-in.ts';
import { verdictSentence } from '../../wording.ts';

/** A bird as the card shows it, in the words of the interface. */
export interface CardBird {
  readonly name: string;
  readonly scientificName: string;
  /** How sure, and where it lives if that has to be said. */
  readonly facts: string;
}

/** All that a card says. Nothing else of an answer reaches it: no file name, coordinates, town, day or time. */
export interface CardContent {
  /** Instead of birds, where none is named. */
  readonly sentence: string | null;
  readonly birds: readonly CardBird[];
  /** Birds that have no room; null: none. */
  readonly more: string | null;
  /** Region and month, as far as they are known. */
  readonly where: string;
  readonly attribution: string;
  /** The first bird's best moment, which is drawn and not told; null without birds. */
  readonly best: NamedBird['best'] | null;
}

const MOST_BIRDS = 5;

/** The month of a recording: of the day that was told, or else of the week of any year; null where neither is known. */
function monthOf({ date, week }: Prediction['conditions'], language: string): string | null {
  const shape = { month: 'long', timeZone: 'UTC' } as const;
  if (date) return new Intl.DateTimeFormat(language, { ...shape, year: 'numeric' }).format(Date.parse(date));
  // Four weeks a month, as in BirdNET; whose year is not known.
  return week === null ? null : new Intl.DateTimeFormat(language, shape).format(Date.UTC(2000, Math.ceil(week / 4) - 1, 15));
}

/**
 * What the card of an answer says.
 *
 * @param prediction with what its owner has said: birds that were rejected are left out
 * @param region of the place: an ISO country code or a UN M49 area; null where it is not known
 */
export function cardContent(
  prediction: Prediction,
  region: string | null,
  t: TFunction,
  language: string,
  words: ConfidenceWords,
): CardContent {
  const { conditions, corrections, verdict } = prediction;
  const cardBird = (bird: NamedBird): CardBird | null => {
    const { commonName, scientificName } = bird;
    const correction = correctionOf(corrections, scientificName);
    if (correction?.kind === 'rejected') return null;
    if (correction?.kind === 'corrected') {
      const instead = correction.correctedTo ?? scientificName;
      return { name: correction.correctedToCommonName ?? instead, scientificName: instead, facts: t('share.byPerson') };
    }
    if (correction?.kind === 'confirmed') return { name: commonName, scientificName, facts: t('share.confirmed') };
    const regions = livesIn(bird, conditions, t, language);
    const facts = [words.describe(bird), ...(regions === null ? [] : [t('answer.livesIn', { regions })])];
    return { name: commonName, scientificName, facts: facts.join(' · ') };
  };
  // What a person has said is surest; the others by confidence.
  const rankOf = (bird: NamedBird) =>
    correctionOf(corrections, bird.scientificName) ? 2 : isLikely(bird.confidenceWord) ? 1 : 0;
  const found = namedBirds(prediction)
    .toSorted((one, other) => rankOf(other) - rankOf(one) || other.confidence - one.confidence)
    .flatMap((bird) => {
      const said = cardBird(bird);
      return said ? [{ said, best: bird.best }] : [];
    });
  const birds = [...new Map(found.map(({ said }) => [said.scientificName, said])).values()];
  const left = birds.length - MOST_BIRDS;
  const wereRejected = birds.length === 0 && namedBirds(prediction).length > 0;
  const needsSentence = birds.length === 0 || verdict.notExpectedHere !== null;
  return {
    sentence: wereRejected ? t('answer.noBird') : needsSentence ? verdictSentence(prediction, t, language) : null,
    birds: birds.slice(0, MOST_BIRDS),
    more: left > 0 ? t('share.more', { count: left }) : null,
    where: [region && regionNames([region], t, language), monthOf(conditions, language)].filter(Boolean).join(' · '),
    attribution: prediction.model.attribution,
    best: found[0]?.best ?? null,
  };
}

/** The card in words, for those who do not see it. */
export const cardInWords = ({ sentence, birds, more, where, attribution }: CardContent, language: string): string =>
  [
    ...(sentence === null ? [] : [sentence]),
    ...(birds.length === 0
      ? []
      : [
          formatList(
            birds.map(({ name, facts }) => `${name} (${facts})`),
            language,
          ),
        ]),
    ...(more === null ? [] : [more]),
    ...(where === '' ? [] : [where]),
    attribution,
  ].join('. ');
