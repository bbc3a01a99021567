import { IconMoon } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import styles from '../listen.module.css';
import { LabelledIcon } from './labelled-icon.tsx';
import { isShown, type SpeciesRow } from './species-rows.ts';

interface Properties {
  readonly rows: readonly SpeciesRow[];
  readonly recordedSeconds: number;
}

/** A black screen that saves power and keeps one's hand from pressing anything: the bird heard last, and the time. A press ends it. */
export function Dim({ rows, recordedSeconds }: Properties) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const dialog = useRef<HTMLDialogElement>(null);
  const latest = rows
    .filter(isShown)
    .reduce<SpeciesRow | null>((last, row) => (last === null || row.lastSeconds > last.lastSeconds ? row : last), null);
  return (
    <>
      <LabelledIcon icon={IconMoon} label={t('listen.dim')} word={t('listen.dark')} onClick={() => dialog.current?.showModal()} />
      <dialog ref={dialog} className={styles.dim} aria-label={t('listen.dim')}>
        <button type="button" onClick={() => dialog.current?.close()}>
          {latest && (
            <>
              <span className={styles.dimName} lang={language === null ? undefined : languageTag(language)}>
                {latest.commonName}
              </span>
              <span>{latest.confidenceWord === null ? t('listen.checking') : t(`word.${latest.confidenceWord}`)}</span>
            </>
          )}
          <span>{timeLabel(recordedSeconds)}</span>
          <span className="small">{t('listen.lightAgain')}</span>
        </button>
      </dialog>
    </>
  );
}
