import {
  birdsOfSentence,
  isFound,
  isLikely,
  namedBirds,
  type Prediction,
  regionsToSay,
  verdictSentence as sentenceOfVerdict,
} from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import type { ListedBird } from '../birds/listed-birds.ts';
import { isSilence, soundInSentence } from '../check-up.tsx';
import { verdictSentence } from '../wording.ts';

/** What was heard instead of a bird. */
function noBirdInWords(prediction: Prediction, t: TFunction): string {
  if (isSilence(prediction)) return t('checkUp.SILENT');
  const [clearest] = prediction.otherSounds.toSorted((one, other) => other.score - one.score);
  if (!clearest) return t('noBird.none');
  return t('noBird.heard', { sound: soundInSentence(clearest.label, t) });
}

/**
 * The headline above the list of birds: the name of a single bird that is likely, otherwise the model's result in words.
 *
 * @param birds that it is about
 */
export function headlineOf(prediction: Prediction, birds: readonly ListedBird[], t: TFunction, language: string): string {
  const { kind, notExpectedHere } = prediction.verdict;
  if (kind === 'noBird' && notExpectedHere === null) return noBirdInWords(prediction, t);
  const [only] = birds;
  if (only && birds.length === 1 && areLikely(birds) && !isWorded(prediction)) return only.commonName;
  return resultInWords(prediction, birds, t, language);
}

/** The model's result in a sentence; several birds are only counted, since the list names them. */
export function resultInWords(prediction: Prediction, birds: readonly ListedBird[], t: TFunction, language: string): string {
  if (birds.length < 2 || isWorded(prediction)) return verdictSentence(withoutRegions(prediction), t, language);
  const besides = namedBirds(prediction).length - birds.length;
  const more = besides > 0 ? t('answer.besides', { count: besides }) : '';
  return t(areLikely(birds) ? 'answer.birds' : 'answer.perhapsBirds', { count: birds.length, more });
}

const isWorded = ({ verdict: { tied, genus, notExpectedHere, named } }: Prediction): boolean =>
  tied || genus !== null || notExpectedHere !== null || !named.every(isFound);
const areLikely = (birds: readonly ListedBird[]): boolean =>
  birds.every(({ candidate }) => candidate !== null && isLikely(candidate.confidenceWord));

/** The page shows where each bird lives next to its name, so this builds a sentence without the regions. */
function withoutRegions(prediction: Prediction): Prediction {
  const { verdict, candidates, conditions } = prediction;
  const birds = namedBirds(prediction);
  const [first, second] = candidates;
  if (!birdsOfSentence(verdict, birds).some((bird) => regionsToSay(bird).length > 0)) return prediction;
  const genus =
    verdict.genus === null || !first || !second
      ? null
      : { name: verdict.genus, species: [first.commonName, second.commonName] as const };
  const named = birds.map(({ regions: _, ...bird }) => bird);
  const sentence = sentenceOfVerdict({
    ...verdict,
    named: birdsOfSentence(verdict, named),
    genus,
    language: conditions.language,
  });
  return { ...prediction, verdict: { ...verdict, named, sentence } };
}
