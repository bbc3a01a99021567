import type { Detection } from '@chiffchaff/contract';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Button } from '../../../../ui/button.tsx';
import { certaintyOf } from '../passages.ts';
import styles from './birds.module.css';
import { PlayButton } from './play-button.tsx';

/** Rows added at a time: thousands at once would block the page. */
const MORE_ROWS = 100;

type Order = 'time' | 'sure';

interface Properties {
  /** of one bird */
  readonly detections: readonly Detection[];
  /** the bird's */
  readonly name: string;
}

const ROWS_AT_FIRST = 10;

/** The detections of one bird, row by row, by time or surest first, some rows at a time. */
export function DetectionTable({ detections, name }: Properties) {
  const { t } = useTranslation();
  const words = useWords();
  const [order, setOrder] = useState<Order>('time');
  const [shown, setShown] = useState(ROWS_AT_FIRST);
  const sorted = useMemo(
    () =>
      detections.toSorted((one, other) =>
        order === 'time' ? one.startSeconds - other.startSeconds : other.confidence - one.confidence,
      ),
    [detections, order],
  );
  const head = (by: Order, text: string) => (
    <th scope="col" aria-sort={order === by ? (by === 'time' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className="link" onClick={() => setOrder(by)}>
        {text}
        <span aria-hidden="true">{order === by ? (by === 'time' ? ' ▲' : ' ▼') : ''}</span>
      </button>
    </th>
  );
  return (
    <>
      <table className={styles.table} aria-label={t('species.table', { name })}>
        <thead>
          <tr>
            {head('time', t('table.when'))}
            {head('sure', t('table.sure'))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((detection) => (
            <tr key={detection.startSeconds}>
              <td>
                <div className="line">
                  <PlayButton name={name} passage={detection} />
                  <span>
                    {timeLabel(detection.startSeconds, 1)}–{timeLabel(detection.endSeconds, 1)}
                  </span>
                </div>
              </td>
              <td>{certaintyOf(detection, t, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && (
        <Button onClick={() => setShown(shown + MORE_ROWS)}>
          {sorted.length <= shown + MORE_ROWS
            ? t('table.more', { count: sorted.length })
            : t('table.moreRows', { count: MORE_ROWS, all: sorted.length })}
        </Button>
      )}
    </>
  );
}
