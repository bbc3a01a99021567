import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../notice.tsx';
import styles from './form.module.css';

interface Properties {
  readonly form: {
    readonly isBusy: boolean;
    /** What it was refused with as a whole. */
    readonly refusal: string | null;
    readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  };
  readonly label: string;
  readonly quiet?: boolean;
  /** Whose password it asks for; told to password managers, not shown. */
  readonly username?: string;
  readonly aside?: ReactNode;
  readonly children?: ReactNode;
}

export function Form({ form, label, quiet = false, username, aside, children }: Properties) {
  const { t } = useTranslation();
  return (
    <form className={styles.form} noValidate onSubmit={form.onSubmit}>
      {username !== undefined && <input type="email" name="username" autoComplete="username" value={username} readOnly hidden />}
      {children}
      {form.refusal !== null && <Notice tone="warning" title={form.refusal} announce />}
      <div className={styles.end}>
        {/* Not disabled while it is sent: that would take the focus away. */}
        <button type="submit" className={quiet ? 'button button-quiet' : 'button'} aria-disabled={form.isBusy}>
          {form.isBusy ? t('form.working') : label}
        </button>
        {aside}
      </div>
    </form>
  );
}
