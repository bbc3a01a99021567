import {
  birdsOfSentence,
  type NamedBird,
  namedBirds,
  occurrenceRemark,
  type Prediction,
  regionsToSay,
} from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatList } from '../../../platform/format/format.ts';
import { regionNames } from '../../../platform/format/region-names.ts';

/**
 * The verdict in the interface's language. The server's sentence is English; other languages build theirs here from the verdict's parts.
 */
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
  const named = birdsOfSentence(verdict, namedBirds(prediction));
  const [first] = named;
  const [, second] = candidates;
  if (!first) return t('answer.noBird');
  const regionsOf = (bird: NamedBird) => regionNames(regionsToSay(bird), t, language);
  if (verdict.kind === 'several') {
    const names = named.map((bird) => inBrackets(bird.commonName, regionsOf(bird)));
    return t('answer.severalOf', { names: formatList(names, language) });
  }
  const livesIn = (birds: readonly NamedBird[]) =>
    birds
      .filter((bird) => regionsOf(bird) !== '')
      .map((bird) => ` ${t('answer.livesInOf', { name: bird.commonName, regions: regionsOf(bird) })}`)
      .join('');
  if (verdict.tied && second)
    return `${t('answer.tiedOf', { first: first.commonName, second: second.commonName })}${livesIn(named)}`;
  if (verdict.genus !== null && second) {
    const names = { genus: verdict.genus, first: first.commonName, second: second.commonName };
    return `${t('answer.genusOf', names)}${livesIn([first])}`;
  }
  return sentenceOfOne(first, regionsOf(first), t);
}

function sentenceOfOne(bird: NamedBird, regions: string, t: TFunction): string {
  const { commonName, confidenceWord, assumed } = bird;
  if (confidenceWord === 'none') return t('answer.noBird');
  const occurrence = regions === '' ? occurrenceRemark(bird) : null;
  const remark = occurrence === null ? '' : t(`answer.occurrence.${occurrence}`);
  const parts = [t(`answer.${confidenceWord}A`, { name: inBrackets(commonName, remark) })];
  if (regions !== '') parts.push(t('answer.livesIn', { regions }));
  if (regions !== '' && assumed === 'elsewhere') parts.push(t('answer.recordedThere'));
  return parts.join(' ');
}

const inBrackets = (name: string, remark: string): string => (remark === '' ? name : `${name} (${remark})`);
