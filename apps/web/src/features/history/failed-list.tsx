import type { PredictionFailed } from '@chiffchaff/contract';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { problemSentence } from '../../platform/api/error-sentence.ts';
import { dateLocale } from '../../platform/format/format.ts';
import styles from './history.module.css';

interface Properties {
  readonly failed: readonly PredictionFailed[];
  readonly onDismiss: (id: string) => void;
}

/** Recordings of the last day that came to no answer, wherever they were sent from, each with why. */
export function FailedList({ failed, onDismiss }: Properties) {
  const { t, i18n } = useTranslation();
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  if (failed.length === 0) return null;
  return (
    <section aria-labelledby="failed-title">
      <h2 id="failed-title">{t('history.failedTitle')}</h2>
      <ul className={styles.rows}>
        {failed.map(({ id, createdAt, fileName, problem }) => {
          const name = fileName ?? t('answer.noName');
          return (
            <li key={id} className={styles.row}>
              <div className={styles.open}>
                <span>{problemSentence(problem, t, i18n.language)}</span>
                <span className={styles.soft}>
                  <bdi className={styles.fileName}>{name}</bdi> ·{' '}
                  <time dateTime={createdAt}>{time.format(new Date(createdAt))}</time>
                </span>
              </div>
              <button
                type="button"
                className={styles.remove}
                aria-label={t('history.dismiss', { name })}
                onClick={() => onDismiss(id)}
              >
                <IconX aria-hidden="true" />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
