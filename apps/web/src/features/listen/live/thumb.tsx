import { IconMoon, IconShare2 } from '@tabler/icons-react';
import { type ComponentProps, useRef, useState } from 'react';
import { useTranslation } from '../../../languages/i18n.ts';
import { saveBlob } from '../../../platform/browser/save-file.ts';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import type { ButtonIcon } from '../../../ui/button.tsx';
import styles from '../listen.module.css';
import type { LiveSession, LiveState } from './live-session.ts';
import { isShown, type SpeciesRow } from './species-rows.ts';

interface IconProperties extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: ButtonIcon;
  /** Its name, which contains the word. */
  readonly label: string;
  readonly word: string;
}

/** A button within reach of the thumb: a picture above a word. */
export function LabelledIcon({ icon: Icon, label, word, className = '', ...button }: IconProperties) {
  return (
    <button {...button} type="button" className={`${styles.labelled} ${className}`} aria-label={label}>
      <Icon aria-hidden="true" />
      <span className="small">{word}</span>
    </button>
  );
}

/** Passes the last seconds to another program, or saves them where the browser cannot, and says so. */
export function KeepMoment({ session }: { readonly session: LiveSession }) {
  const { t } = useTranslation();
  const [savedAs, setSavedAs] = useState<string | null>(null);
  const keep = async () => {
    const file = await session.moment();
    if (file === null) return;
    const isShared = navigator.canShare?.({ files: [file] }) === true;
    setSavedAs(isShared ? null : file.name);
    if (isShared)
      await navigator.share({ files: [file] }).catch(() => {}); // closed without sharing
    else saveBlob(file.name, file);
  };
  return (
    <>
      <LabelledIcon icon={IconShare2} label={t('listen.keepMoment')} word={t('listen.keep')} onClick={() => void keep()} />
      <p role="status" className={`small ${styles.saved}`}>
        {savedAs !== null && t('listen.momentSaved', { name: savedAs })}
      </p>
    </>
  );
}

/** A black screen that saves power and keeps one's hand from pressing anything: the bird heard last, and the time. A press ends it. */
export function Dim({ rows, recordedSeconds }: Pick<LiveState, 'rows' | 'recordedSeconds'>) {
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
