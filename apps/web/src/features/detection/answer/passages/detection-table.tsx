import type { Detection } from '@chiffchaff/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { timeLabel } from '../../../../platform/format/time-label.ts';
import { useWords } from '../../../../platform/format/words.ts';
import styles from '../answer.module.css';
import { certaintyOf } from './passages.ts';
import { PlayButton } from './play-button.tsx';
import { AllDetections, type AllDetectionsProperties, TableDownloads } from './table-downloads.tsx';

interface Properties extends AllDetectionsProperties {
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

const rowsAtFirst = 10;

/** The same content as the timeline, in order of time. */
export function DetectionTable({ prediction, isKept, onPlay }: Properties) {
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
            {(all ? inOrder : inOrder.slice(0, rowsAtFirst)).map((detection) => (
              <tr key={`${detection.scientificName}@${detection.startSeconds}`}>
                <td>
                  <div className={styles.when}>
                    <PlayButton name={detection.commonName} passage={detection} onPlay={onPlay} />
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
      {!all && inOrder.length > rowsAtFirst && (
        <button type="button" className="text-button" onClick={() => setAll(true)}>
          {t('table.more', { count: inOrder.length })}
        </button>
      )}
      {inOrder.length > 0 && <TableDownloads prediction={prediction} />}
      <AllDetections prediction={prediction} isKept={isKept} />
    </section>
  );
}
