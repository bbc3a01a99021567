import { namedBirds, type Prediction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import en from '../../../languages/en.json';
import { formatList } from '../../../platform/format/format.ts';

/** The verdict in the interface's language. The server words it in English; for other languages it is worded here, by its parts. */
export function verdictSentence(prediction: Prediction, t: TFunction, language: string): string {
  const { verdict } = prediction;
  if (language.startsWith('en')) return verdict.sentence;
  const here = sentenceOf(prediction, t, language);
  const elsewhere = verdict.notExpectedHere && t('answer.notExpected', { name: verdict.notExpectedHere.commonName });
  if (elsewhere === null) return here;
  return verdict.kind === 'noBird' ? elsewhere : `${elsewhere} ${here}`;
}

function sentenceOf(prediction: Prediction, t: TFunction, language: string): string {
  const { verdict, candidates } = prediction;
  const named = namedBirds(verdict, candidates);
  const [first] = named;
  const [, second] = candidates;
  if (!first) return t('answer.noBird');
  if (verdict.kind === 'several')
    return t('answer.severalOf', {
      names: formatList(
        named.map(({ commonName }) => commonName),
        language,
      ),
    });
  if (verdict.tied && second) return t('answer.tiedOf', { first: first.commonName, second: second.commonName });
  if (verdict.genus !== null && second)
    return t('answer.genusOf', { genus: verdict.genus, first: first.commonName, second: second.commonName });
  return first.confidenceWord === 'none' ? t('answer.noBird') : t(`answer.${first.confidenceWord}A`, { name: first.commonName });
}

/** Another model may know sounds that we have no words for. */
const isKnownSound = (label: string): label is keyof typeof en.checkUp.sound => Object.hasOwn(en.checkUp.sound, label);

/** What the model's label of a sound that is no bird's is called; a living thing keeps the name that it has. */
export const soundName = (label: string, t: TFunction): string => (isKnownSound(label) ? t(`checkUp.sound.${label}`) : label);
