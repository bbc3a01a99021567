import { useTranslation } from 'react-i18next';
import { TextField } from '../../../ui/form/text-field.tsx';
import type { FormField } from '../../../ui/form/use-form.ts';

interface Properties {
  readonly field: FormField;
  /** Told besides the form: the address stays when a person changes to another form of the screen. */
  readonly onEmail: (email: string) => void;
}

/** The e-mail address that an account is known by, as every form of the screen asks for it. */
export function AddressField({ field, onEmail }: Properties) {
  const { t } = useTranslation();
  return (
    <TextField
      {...field}
      onChange={(text) => {
        field.onChange(text);
        onEmail(text);
      }}
      label={t('login.email')}
      type="email"
      autoComplete="username"
      required
    />
  );
}
