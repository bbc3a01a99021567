import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { dateLocale, formatBytes } from '../../../platform/format/format.ts';
import styles from './choose.module.css';
import type { ChosenRecording } from './use-chosen-recordings.ts';

interface Properties {
  readonly chosen: readonly ChosenRecording[];
  readonly faultOf: (file: File) => string | null;
  readonly onRemove: (file: File) => void;
}

/** By what the file's name or the system says of it; the server looks at the content, and it decides. */
const looksUnlikeSound = ({ type }: File): boolean => /^(image|text)\/|^application\/pdf$/.test(type);

/** The chosen recordings, each with what is wrong with it, and a way out. */
export function ChosenList({ chosen, faultOf, onRemove }: Properties) {
  const { t, i18n } = useTranslation();
  const dates = new Set(chosen.map(({ metadata }) => metadata?.date?.value));
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  return (
    <ul className={styles.chosenList} aria-label={t('choose.chosenList')}>
      {chosen.map(({ file, metadata }) => {
        const fault = faultOf(file);
        const date = metadata?.date?.value;
        return (
          <li key={`${file.name} ${file.size} ${file.lastModified}`} className={styles.chosen}>
            <p>
              <bdi className={styles.fileName}>{file.name}</bdi>{' '}
              <span className={styles.size}>
                {formatBytes(file.size, i18n.language)}
                {/* Where all are of one day, the form says it. */}
                {dates.size > 1 && date !== undefined && ` · ${day.format(new Date(date))}`}
              </span>
              {fault === null && looksUnlikeSound(file) && <span className={styles.doubt}>{t('choose.notSound')}</span>}
              {fault !== null && (
                <span className={styles.fault} role="alert">
                  {fault}
                </span>
              )}
            </p>
            <button
              type="button"
              className={styles.remove}
              aria-label={t('choose.remove', { name: file.name })}
              onClick={() => onRemove(file)}
            >
              <IconX aria-hidden="true" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
