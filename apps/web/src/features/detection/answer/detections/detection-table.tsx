import type { Detection, Prediction } from '@chiffchaff/contract';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { ReviewedName, reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';
import styles from '../answer.module.css';
import { certaintyOf } from '../passages.ts';
import { PlayButton } from '../play-button.tsx';
import own from './detections.module.css';

/** Rows added at a time: thousands at once would block the page. */
const MORE_ROWS = 100;

type Order = 'time' | 'sure';

interface Properties {
  readonly prediction: Prediction;
  /** All of them, or those of one bird. */
  readonly detections: readonly Detection[];
  readonly rowsAtFirst: number;
  /** Shows the bird's name, for a table of several birds. */
  readonly withBird?: boolean;
  /** Accessible name, if it is not the section's own table. */
  readonly label?: string;
}

/** Detections row by row, by time or surest first, some rows at a time. */
export function DetectionTable({ prediction, detections, rowsAtFirst, withBird = false, label }: Properties) {
  const { t } = useTranslation();
  const words = useWords();
  const [order, setOrder] = useState<Order>('time');
  const [shown, setShown] = useState(rowsAtFirst);
  const namesIn = languageTag(prediction.conditions.language);
  const sorted = useMemo(
    () =>
      detections.toSorted((one, other) =>
        order === 'time' ? one.startSeconds - other.startSeconds : other.confidence - one.confidence,
      ),
    [detections, order],
  );
  const head = (by: Order, text: string) => (
    <th scope="col" aria-sort={order === by ? (by === 'time' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className={own.sort} onClick={() => setOrder(by)}>
        {text}
        <span aria-hidden="true">{order === by ? (by === 'time' ? ' ▲' : ' ▼') : ''}</span>
      </button>
    </th>
  );
  return (
    <>
      <table className={styles.table} {...(label === undefined ? { 'aria-labelledby': 'table-title' } : { 'aria-label': label })}>
        <thead>
          <tr>
            {head('time', t('table.when'))}
            {withBird && <th scope="col">{t('table.bird')}</th>}
            {head('sure', t('table.sure'))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((detection) => (
            <tr key={`${detection.scientificName}@${detection.startSeconds}`}>
              <td>
                <div className={styles.when}>
                  <PlayButton name={detection.commonName} passage={detection} />
                  <span>
                    {timeLabel(detection.startSeconds, 1)}–{timeLabel(detection.endSeconds, 1)}
                  </span>
                </div>
              </td>
              {withBird && (
                <td>
                  <ReviewedName
                    name={detection.commonName}
                    scientificName={detection.scientificName}
                    language={namesIn}
                    review={reviewOf(prediction.reviews, detection.scientificName)}
                  />
                </td>
              )}
              <td data-label={t('table.sure')}>{certaintyOf(detection, prediction, t, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && (
        <button type="button" className="text-button" onClick={() => setShown(shown + MORE_ROWS)}>
          {sorted.length <= shown + MORE_ROWS
            ? t('table.more', { count: sorted.length })
            : t('table.moreRows', { count: MORE_ROWS, all: sorted.length })}
        </button>
      )}
    </>
  );
}
