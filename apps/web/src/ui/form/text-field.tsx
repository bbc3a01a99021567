import { identityLimits } from '@chiffchaff/contract';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type HTMLInputAutoCompleteAttribute, type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './form.module.css';

export interface FormField {
  readonly name: string;
  readonly value: string;
  readonly fault: string | null;
  readonly onChange: (value: string) => void;
}

interface Properties extends FormField {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly readOnly?: boolean;
  readonly autoComplete: HTMLInputAutoCompleteAttribute;
  readonly required?: boolean;
  readonly help?: string | undefined;
  readonly aside?: ReactNode;
}

/** A labelled input; its fault is shown below it and read out. */
export function TextField({ fault, onChange, label, help, aside, ...input }: Properties) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.frame}>
        <input
          type="text"
          {...input}
          id={id}
          autoCapitalize="none"
          spellCheck={false}
          className={styles.text}
          aria-invalid={fault !== null}
          aria-describedby={`${id}-fault${help === undefined ? '' : ` ${id}-help`}`}
          onChange={({ target }) => onChange(target.value)}
        />
        {aside}
      </div>
      {help !== undefined && (
        <p id={`${id}-help`} className={styles.help}>
          {help}
        </p>
      )}
      {/* Always rendered: screen readers announce changes in it. */}
      <p id={`${id}-fault`} className={styles.fault} aria-live="polite">
        {fault}
      </p>
    </div>
  );
}

type PasswordProperties = Omit<Properties, 'type' | 'aside' | 'autoComplete' | 'required'> & {
  /** A new password: its rules are shown beside it. */
  readonly isNew?: boolean;
};

export function PasswordField({ isNew = false, help, ...properties }: PasswordProperties) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <TextField
      {...properties}
      required
      type={isShown ? 'text' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      help={isNew ? t('login.passwordHelp', { limit: identityLimits.passwordMinLength }) : help}
      aside={
        <button
          type="button"
          className={styles.show}
          aria-label={t('form.showPassword')}
          title={t(isShown ? 'form.hidePassword' : 'form.showPassword')}
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          <Icon aria-hidden="true" />
        </button>
      }
    />
  );
}
