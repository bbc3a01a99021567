import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './form.module.css';
import { TextField, type TextFieldProperties } from './text-field.tsx';

type Properties = Omit<TextFieldProperties, 'type' | 'aside' | 'autoComplete' | 'required'> & {
  readonly autoComplete: 'current-password' | 'new-password';
};

/** A password that can be shown while it is typed. */
export function PasswordField(properties: Properties) {
  const { t } = useTranslation();
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? IconEyeOff : IconEye;
  return (
    <TextField
      {...properties}
      required
      type={isShown ? 'text' : 'password'}
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
