import type { FormEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../button.tsx';
import { Notice } from '../notice.tsx';
import styles from './form.module.css';

interface Properties {
  readonly form: {
    readonly isBusy: boolean;
    /** Why the server refused the whole form. */
    readonly refusal: string | null;
    readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  };
  readonly label: string;
  readonly quiet?: boolean;
  /** Whose password the form asks for; for password managers, not shown. */
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
        <Button type="submit" look={quiet ? 'secondary' : 'main'} isDisabled={form.isBusy}>
          {form.isBusy ? t('form.working') : label}
        </Button>
        {aside}
      </div>
    </form>
  );
}
