import { isFound, namedBirds, type Prediction } from '@chiffchaff/contract';
import type { TFunction } from 'i18next';
import { formatDuration, timeLabel } from '../../../../platform/format/format.ts';
import type { ConfidenceWords } from '../../../../platform/format/words.ts';
import { reviewsInWords } from '../../../../ui/reviews/reviewed-name.tsx';
import { verdictSentence } from '../wording.ts';

/** A result in a few lines of plain text, for a message or a notebook. Without the file name, which may reveal who, where and when. */
export function summaryOf(prediction: Prediction, t: TFunction, language: string, words: ConfidenceWords): string {
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
