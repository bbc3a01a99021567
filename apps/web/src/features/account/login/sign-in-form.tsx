import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import { useAuthSession } from '../../../platform/session/session-context.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { emailFault, passwordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { AddressField } from './address-field.tsx';

interface Properties {
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly onForgot: () => void;
}

/** When it succeeds, the route takes over: it sends whoever is signed in to where they wanted to go. */
export function SignInForm({ email, onEmail, onForgot }: Properties) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const [isKept, setIsKept] = useState(false);
  const form = useForm(
    { email, password: '' },
    { email: (text) => emailFault(text, t), password: (text) => passwordFault(text, t) },
    async (values) => {
      const credentials = { email: values.email.trim(), password: values.password };
      const failure = await session.signIn(credentials.email, isKept, async () => (await findIdentity()).signIn(credentials));
      return failure && refusalOf(failure, ['email', 'password'], t);
    },
  );
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      <AddressField field={form.field('email')} onEmail={onEmail} />
      <PasswordField {...form.field('password')} label={t('login.password')} autoComplete="current-password" />
      <CheckBox name="keep" checked={isKept} onChange={setIsKept} help={t('login.keepHelp')}>
        {t('login.keep')}
      </CheckBox>
      <FormEnd label={t('login.signIn')} isBusy={form.isBusy} refusal={form.refusal}>
        <button type="button" className="text-button" onClick={onForgot}>
          {t('login.forgot')}
        </button>
      </FormEnd>
    </form>
  );
}
