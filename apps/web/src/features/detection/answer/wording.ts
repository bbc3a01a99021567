/*
 * A result in words: the verdict's sentence (also in lists of recordings and in shared text), the headline of its card, the sentence about its
 * timeline, and a summary to share.
 */

import {
  birdsOfSentence,
  isFound,
  isLikely,
  isRefused,
  likelyElsewhere,
  type NamedBird,
  namedBirds,
  occurrenceRemark,
  type Prediction,
  regionsToSay,
  reviewedAs,
  verdictSentence as sentenceOfVerdict,
} from '@chiffchaff/contract';
import type { Translate } from '../../../languages/i18n.ts';
import { formatDuration, formatList, timeLabel } from '../../../platform/format/format.ts';
import { regionNames } from '../../../platform/format/region-names.ts';
import type { ConfidenceWords } from '../../../platform/format/words.ts';
import { reviewOf, reviewsInWords } from '../../../ui/reviews/reviewed-name.tsx';
import type { ListedBird, ListedBirds } from './birds/listed-birds.ts';
import { isSilence, soundInSentence } from './check-up.tsx';

/**
 * The verdict in the interface's language. The server's sentence is English; other languages build theirs here from the verdict's parts.
 */
export function verdictSentence(prediction: Prediction, t: Translate, language: string): string {
  const { verdict } = prediction;
  if (language.startsWith('en')) return verdict.sentence;
  const here = sentenceOf(prediction, t, language);
  const elsewhere = verdict.notExpectedHere && t('answer.notExpected', { name: verdict.notExpectedHere.commonName });
  if (elsewhere === null) return here;
  return verdict.kind === 'noBird' ? elsewhere : `${elsewhere} ${here}`;
}

function sentenceOf(prediction: Prediction, t: Translate, language: string): string {
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

function sentenceOfOne(bird: NamedBird, regions: string, t: Translate): string {
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

/** What was heard instead of a bird. */
function noBirdInWords(prediction: Prediction, t: Translate): string {
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
export function headlineOf(prediction: Prediction, birds: readonly ListedBird[], t: Translate, language: string): string {
  const { kind, notExpectedHere } = prediction.verdict;
  if (kind === 'noBird' && notExpectedHere === null) return noBirdInWords(prediction, t);
  const [only] = birds;
  if (only && birds.length === 1 && areLikely(birds) && !isWorded(prediction)) return only.commonName;
  return resultInWords(prediction, birds, t, language);
}

/** The model's result in a sentence; several birds are only counted, since the list names them. */
export function resultInWords(prediction: Prediction, birds: readonly ListedBird[], t: Translate, language: string): string {
  if (birds.length < 2 || isWorded(prediction)) return verdictSentence(withoutRegions(prediction), t, language);
  const besides = namedBirds(prediction).length - birds.length + likelyElsewhere(prediction).length;
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

/**
 * Describes the timeline in one sentence: the birds that the verdict names, those of the headline first, as their owner has reviewed them,
 * and how many more there are on request.
 */
export function sumUp({ recording, reviews }: Prediction, birds: ListedBirds, t: Translate, language: string): string {
  const duration = formatDuration(recording.durationSeconds, language);
  const named = [...birds.main, ...birds.said, ...birds.besides];
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

/** A result in a few lines of plain text, for a message or a notebook. Without the file name, which may reveal who, where and when. */
export function summaryOf(prediction: Prediction, t: Translate, language: string, words: ConfidenceWords): string {
  const { recording, model } = prediction;
  const result = verdictSentence(prediction, t, language);
  const found = namedBirds(prediction).filter(isFound);
  const said = reviewsInWords(prediction.reviews, t, language);
  return [
    ...(said === '' ? [result] : [said, t('reviewed.model', { result })]),
    ...found.map(({ commonName, scientificName, confidence, confidenceWord, best }) =>
      t('summary.bird', {
        name: commonName,
        scientificName,
        word: t(`word.${confidenceWord}`),
        percent: words.percentOf(confidence),
        from: timeLabel(best.startSeconds),
        to: timeLabel(best.endSeconds),
      }),
    ),
    formatDuration(recording.durationSeconds, language),
    t('summary.by', {
      model: model.id.endsWith(model.version) ? model.id : `${model.id} ${model.version}`,
      hash: model.sha256.slice(0, 12),
    }),
  ].join('\n');
}
