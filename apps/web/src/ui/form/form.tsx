import { identityLimits, type Place } from '@chiffchaff/contract';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { type FormEvent, type HTMLInputAutoCompleteAttribute, type ReactNode, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { Button } from '../button.tsx';
import { Failure } from '../notice.tsx';
import styles from './form.module.css';
import { useNotes } from './use-notes.tsx';

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

/** On a low screen, what appears above the button may be out of sight. */
const intoSight = (refusal: HTMLElement | null) => refusal?.scrollIntoView({ block: 'nearest' });

export function Form({ form, label, quiet = false, username, aside, children }: Properties) {
  const { t } = useTranslation();
  return (
    <form className="stack" noValidate onSubmit={form.onSubmit}>
      {username !== undefined && <input type="email" name="username" autoComplete="username" value={username} readOnly hidden />}
      {children}
      {form.refusal !== null && (
        <div ref={intoSight}>
          <Failure sentence={form.refusal} />
        </div>
      )}
      <div className={`cluster ${styles.end}`}>
        <Button type="submit" look={quiet ? 'secondary' : 'main'} isDisabled={form.isBusy}>
          {form.isBusy ? t('form.working') : label}
        </Button>
        {aside}
      </div>
    </form>
  );
}

export interface FormField {
  readonly name: string;
  readonly value: string;
  readonly fault: string | null;
  readonly onChange: (value: string) => void;
}

interface TextFieldProperties extends FormField {
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly readOnly?: boolean;
  readonly inputMode?: 'decimal';
  readonly autoComplete: HTMLInputAutoCompleteAttribute;
  readonly required?: boolean;
  readonly help?: string | undefined;
  readonly aside?: ReactNode;
}

/** A labelled input. */
export function TextField({ fault, onChange, label, help, aside, ...input }: TextFieldProperties) {
  const described = useNotes(help, fault);
  return (
    <div className="field">
      <label htmlFor={described.input.id}>{label}</label>
      <div className={styles.frame}>
        <input
          type="text"
          {...input}
          {...described.input}
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
        {aside}
      </div>
      {described.notes}
    </div>
  );
}

type PasswordProperties = Omit<TextFieldProperties, 'type' | 'aside' | 'autoComplete' | 'required'> & {
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
          className={`icon-button ${styles.show}`}
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

/** Of the search for places, which a feature shows and another one has. */
export interface PlaceFieldProperties {
  readonly value: string;
  readonly isChosen: boolean;
  readonly fault: string | null;
  readonly onType: (text: string) => void;
  readonly onChoose: (label: string, place: Place) => void;
}
