import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../notice.tsx';
import styles from './form.module.css';

interface Properties {
  readonly label: string;
  readonly isBusy: boolean;
  readonly refusal: string | null;
  readonly quiet?: boolean;
  /** Further actions beside the button. */
  readonly children?: ReactNode;
}

/** What a form ends with: what it was refused with, and the button that sends it. */
export function FormEnd({ label, isBusy, refusal, quiet = false, children }: Properties) {
  const { t } = useTranslation();
  return (
    <>
      {refusal !== null && <Notice tone="warning" title={refusal} announce />}
      <div className={styles.end}>
        {/* Not disabled while it is sent: that would take the focus away. */}
        <button type="submit" className={quiet ? 'button button-quiet' : 'button'} aria-disabled={isBusy}>
          {isBusy ? t('form.working') : label}
        </button>
        {children}
      </div>
    </>
  );
}
