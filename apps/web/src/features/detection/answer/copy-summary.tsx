import { namedBirds, type Prediction } from '@chiffchaff/contract';
import { IconCopy } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../../platform/browser/copy-text.ts';
import { formatDuration, timeLabel } from '../../../platform/format/format.ts';
import { type ConfidenceWords, useWords } from '../../../platform/format/words.ts';
import { verdictSentence } from './wording.ts';

export function summaryOf(prediction: Prediction, t: TFunction, language: string, words: ConfidenceWords): string {
  const { recording, model } = prediction;
  // A name could break the line, or turn its direction, and so say what it likes.
  const fileName = recording.fileName?.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return [
    verdictSentence(prediction, t, language),
    ...namedBirds(prediction.verdict, prediction.candidates).map(
      ({ commonName, scientificName, confidence, confidenceWord, best }) =>
        t('summary.bird', {
          name: commonName,
          scientificName,
          word: t(`word.${confidenceWord}`),
          percent: words.percentOf(confidence),
          from: timeLabel(best.startSeconds),
          to: timeLabel(best.endSeconds),
        }),
    ),
    [...(fileName ? [fileName] : []), formatDuration(recording.durationSeconds, language)].join(', '),
    t('summary.by', {
      model: model.id.endsWith(model.version) ? model.id : `${model.id} ${model.version}`,
      hash: model.sha256.slice(0, 12),
    }),
  ].join('\n');
}

export function CopySummary({ prediction }: { readonly prediction: Prediction }) {
  const { t, i18n } = useTranslation();
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  const text = summaryOf(prediction, t, i18n.language, useWords());
  return (
    <>
      <button
        type="button"
        className="text-button"
        onClick={() => void copyText(text).then((copied) => setOutcome(copied ? 'copied' : 'failed'))}
      >
        <IconCopy aria-hidden="true" />
        {t('summary.copy')}
      </button>
      <span role="status">{outcome === null ? '' : t(`summary.${outcome}`)}</span>
      {outcome === 'failed' && <textarea aria-label={t('summary.text')} readOnly rows={6} value={text} />}
    </>
  );
}
