import { type Detection, isHidden, namedBirds, type Prediction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatDuration, formatList, timeLabel } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import type { ConfidenceWords } from '../../../platform/format/words.ts';
import type { Mark } from '../../../ui/timeline/marks/mark.ts';

type Passage = Pick<Detection, 'confidence' | 'hidden'>;

/** Below every word. */
const isFaint = ({ confidence }: Passage, words: ConfidenceWords): boolean => words.wordOf(confidence) === 'none';

export function certaintyOf(passage: Passage, prediction: Prediction, t: TFunction, words: ConfidenceWords) {
  // It has no confidence then, which says nothing of how it sounds.
  if (isHidden(passage, prediction.conditions)) return { word: t('table.hidden'), percent: null };
  return { word: t(`word.${words.wordOf(passage.confidence)}`), percent: words.percentOf(passage.confidence) };
}

/** The passages as marks of the timeline: what the verdict names first, then the other birds, the surest first. */
export function marksOf(prediction: Prediction, t: TFunction, words: ConfidenceWords): readonly Mark[] {
  const namesIn = languageTag(prediction.conditions.language);
  const named = new Set(namedBirds(prediction.verdict, prediction.candidates).map(({ scientificName }) => scientificName));
  const surest = new Map<string, number>();
  for (const { scientificName, confidence } of prediction.detections)
    surest.set(scientificName, Math.max(confidence, surest.get(scientificName) ?? 0));
  const rankOf = ({ scientificName }: Detection) => (named.has(scientificName) ? 1 : 0) + (surest.get(scientificName) ?? 0);
  return prediction.detections
    .toSorted((one, other) => rankOf(other) - rankOf(one))
    .map((detection) => {
      const { scientificName, commonName, startSeconds, endSeconds } = detection;
      const { word, percent } = certaintyOf(detection, prediction, t, words);
      const times = { from: timeLabel(startSeconds, 1), to: timeLabel(endSeconds, 1) };
      const isAside = percent === null;
      return {
        id: `${scientificName}@${startSeconds}`,
        lane: scientificName,
        label: commonName,
        language: namesIn,
        startSeconds,
        endSeconds,
        description: isAside ? t('table.markAside', { ...times, word }) : t('table.markDescription', { ...times, word, percent }),
        isFaint: isAside || isFaint(detection, words),
        aside: isAside ? word : null,
      };
    });
}

/** In one sentence what the timeline shows. It names what has a word; the rest it counts, and what the place rules out it leaves out. */
export function sumUpPassages(prediction: Prediction, t: TFunction, language: string, words: ConfidenceWords): string {
  const duration = formatDuration(prediction.recording.durationSeconds, language);
  const expected = prediction.detections.filter((passage) => !isHidden(passage, prediction.conditions));
  const clear = expected.filter((passage) => !isFaint(passage, words));
  const faint = { count: expected.length - clear.length, word: t('word.notSure') };
  if (clear.length === 0 && faint.count > 0) return t('timeline.summaryFaint', { ...faint, duration });
  if (clear.length === 0)
    return t(prediction.detections.length === 0 ? 'timeline.summaryNone' : 'timeline.summaryHidden', { duration });
  const species = formatList([...new Set(clear.map(({ commonName }) => commonName))], language);
  const rest = faint.count === 0 ? '' : t('timeline.faintRest', faint);
  return t('timeline.summary', { count: clear.length, duration, species, rest });
}
