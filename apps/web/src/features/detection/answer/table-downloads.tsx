import {
  audacityLabels,
  csvTable,
  isHidden,
  listedPrediction,
  type Prediction,
  ravenTable,
  type TableOptions,
} from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../../platform/save-file.ts';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import styles from './answer.module.css';

interface Format {
  readonly name: string;
  /** What is put in place of the recording's own ending. */
  readonly ending: string;
  readonly write: (prediction: Prediction, options: TableOptions) => string;
}

const formats: readonly Format[] = [
  { name: 'CSV', ending: '.chiffchaff.csv', write: (prediction, options) => csvTable([prediction], options) },
  { name: 'Raven', ending: '.selections.txt', write: (prediction, options) => ravenTable([prediction], options) },
  { name: 'Audacity', ending: '.labels.txt', write: audacityLabels },
  {
    name: 'JSON',
    ending: '.chiffchaff.json',
    write: (prediction, options) => JSON.stringify(listedPrediction(prediction, options), null, 2),
  },
];

/** The passages as files that other programs read. What the place hides is in them only if that is asked for. */
export function TableDownloads({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const [showHidden, setShowHidden] = useState(false);
  const { detections, conditions } = prediction;
  const hidden = detections.filter((detection) => isHidden(detection, conditions)).length;
  const stem = (prediction.recording.fileName ?? 'recording').replace(/\.\w+$/, '');
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: no form, but buttons that belong together */}
      <div className={styles.downloads} role="group" aria-label={t('table.download')}>
        <IconDownload aria-hidden="true" />
        <span aria-hidden="true">{t('table.download')}</span>
        {formats.map(({ name, ending, write }) => (
          <button
            key={name}
            type="button"
            className="text-button"
            // Files from the page are opened by people, with a spreadsheet as likely as not.
            onClick={() => saveFile(`${stem}${ending}`, write(prediction, { showHidden, excelSafe: true }))}
          >
            {name}
          </button>
        ))}
      </div>
      {hidden > 0 && (
        <CheckBox name="showHidden" checked={showHidden} onChange={setShowHidden}>
          {t('table.withHidden', { count: hidden })}
        </CheckBox>
      )}
    </>
  );
}
