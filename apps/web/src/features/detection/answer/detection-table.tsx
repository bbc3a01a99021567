import {
  audacityLabels,
  csvTable,
  type Detection,
  isHidden,
  listedPrediction,
  type Prediction,
  ravenTable,
  type TableOptions,
} from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiError, toApiError } from '../../../platform/api/api-error.ts';
import { useErrorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { tableAddress } from '../../../platform/api/stored-predictions.ts';
import { saveFile, saveFrom } from '../../../platform/browser/save-file.ts';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import styles from './answer.module.css';
import { certaintyOf } from './passages.ts';
import { PlayButton } from './play-button.tsx';

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
function TableDownloads({ prediction }: { readonly prediction: Prediction }) {
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

interface AllDetectionsProperties {
  readonly prediction: Prediction;
  readonly isKept: boolean;
}

/** Of very many passages an answer holds the best; all of them are the server's to give, as they were first found. */
function AllDetections({ prediction, isKept }: AllDetectionsProperties) {
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

const ROWS_AT_FIRST = 10;

export function DetectionTable({ prediction, isKept }: AllDetectionsProperties) {
  const { detections, conditions } = prediction;
  const { t, i18n } = useTranslation();
  const words = useWords();
  const [all, setAll] = useState(false);
  const namesIn = languageTag(conditions.language);
  const inOrder = detections.toSorted((one, other) => one.startSeconds - other.startSeconds);
  const score = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const sureness = (detection: Detection) => {
    const { word, percent } = certaintyOf(detection, prediction, t, words);
    return percent === null ? <span className={styles.soft}>{word}</span> : `${word} · ${percent}`;
  };
  return (
    <section aria-labelledby="table-title" className={styles.section}>
      <h2 id="table-title">{t('table.title')}</h2>
      {inOrder.length === 0 ? (
        <p className={styles.soft}>{t('table.none', { minScore: score.format(conditions.minScore) })}</p>
      ) : (
        <table className={styles.table} aria-labelledby="table-title">
          <thead>
            <tr>
              <th scope="col">{t('table.when')}</th>
              <th scope="col">{t('table.bird')}</th>
              <th scope="col">{t('table.sure')}</th>
              <th scope="col" className={styles.score}>
                {t('table.score')}
              </th>
            </tr>
          </thead>
          <tbody>
            {(all ? inOrder : inOrder.slice(0, ROWS_AT_FIRST)).map((detection) => (
              <tr key={`${detection.scientificName}@${detection.startSeconds}`}>
                <td>
                  <div className={styles.when}>
                    <PlayButton name={detection.commonName} passage={detection} />
                    <span>
                      {timeLabel(detection.startSeconds, 1)}–{timeLabel(detection.endSeconds, 1)}
                    </span>
                  </div>
                </td>
                <td>
                  <span lang={namesIn}>{detection.commonName}</span> <i lang="la">{detection.scientificName}</i>
                </td>
                <td>{sureness(detection)}</td>
                <td className={styles.score}>{score.format(detection.score)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!all && inOrder.length > ROWS_AT_FIRST && (
        <button type="button" className="text-button" onClick={() => setAll(true)}>
          {t('table.more', { count: inOrder.length })}
        </button>
      )}
      {inOrder.length > 0 && <TableDownloads prediction={prediction} />}
      <AllDetections prediction={prediction} isKept={isKept} />
    </section>
  );
}
