import { audacityLabels, csvTable, type Prediction, ravenTable } from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { saveFile } from '../../../platform/save-file.ts';
import styles from './answer.module.css';

interface Format {
  readonly name: string;
  /** What is put in place of the recording's own ending. */
  readonly ending: string;
  readonly write: (prediction: Prediction) => string;
}

const formats: readonly Format[] = [
  { name: 'CSV', ending: '.chiffchaff.csv', write: (prediction) => csvTable([prediction]) },
  { name: 'Raven', ending: '.selections.txt', write: (prediction) => ravenTable([prediction]) },
  { name: 'Audacity', ending: '.labels.txt', write: audacityLabels },
  { name: 'JSON', ending: '.chiffchaff.json', write: (prediction) => JSON.stringify(prediction, null, 2) },
];

/** The passages as files that other programs read. */
export function TableDownloads({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const stem = (prediction.recording.fileName ?? 'recording').replace(/\.\w+$/, '');
  return (
    // biome-ignore lint/a11y/useSemanticElements: no form, but buttons that belong together
    <div className={styles.downloads} role="group" aria-label={t('table.download')}>
      <IconDownload aria-hidden="true" />
      <span aria-hidden="true">{t('table.download')}</span>
      {formats.map(({ name, ending, write }) => (
        <button key={name} type="button" className="text-button" onClick={() => saveFile(`${stem}${ending}`, write(prediction))}>
          {name}
        </button>
      ))}
    </div>
  );
}
