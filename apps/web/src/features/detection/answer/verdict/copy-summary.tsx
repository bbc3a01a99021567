import type { Prediction } from '@chiffchaff/contract';
import { IconCopy } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../../../platform/browser/copy-text.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { summaryOf } from './summary.ts';

/** Puts the answer into the clipboard as a few lines of text. */
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
