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
import { type ApiError, toApiError } from '../../../../platform/api/api-error.ts';
import { useErrorSentence } from '../../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../../platform/api/open-http.ts';
import { tableAddress } from '../../../../platform/api/stored-predictions.ts';
import { saveFile, saveFrom } from '../../../../platform/browser/save-file.ts';
import { CheckBox } from '../../../../ui/form/check-box.tsx';
import styles from '../answer.module.css';

interface Format {
  readonly name: string;
  /** Replaces the recording's own file extension. */
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

/** The detections as files for other programs. Those hidden by location are included only on request. */
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
            // People open these files themselves, often in a spreadsheet.
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

export interface AllDetectionsProperties {
  readonly prediction: Prediction;
  readonly isKept: boolean;
}

/** A prediction holds only the best of very many detections; the server can deliver all of them, as first computed. */
export function AllDetections({ prediction, isKept }: AllDetectionsProperties) {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const [error, setError] = useState<ApiError | null>(null);
  const { detections, detectionsLeftOut } = prediction;
  if (detectionsLeftOut === undefined) return null;
  const number = new Intl.NumberFormat(i18n.language);
  const counts = { shown: number.format(detections.length), all: number.format(detections.length + detectionsLeftOut) };
  const save = async () => {
    setError(null);
    try {
      saveFrom(await tableAddress(await openHttp(), prediction.id, 'csv'));
    } catch (failure) {
      setError(toApiError(failure));
    }
  };
  return (
    <div className={styles.soft}>
      <p>{t('table.leftOut', counts)}</p>
      {isKept && (
        <button type="button" className="text-button" onClick={() => void save()}>
          {t('table.all')}
        </button>
      )}
      {error && <Failure error={error} />}
    </div>
  );
}

function Failure({ error }: { readonly error: ApiError }) {
  return <p role="alert">{useErrorSentence(error)}</p>;
}
