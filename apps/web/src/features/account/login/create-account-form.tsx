import { identityLimits } from '@chiffchaff/contract';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import { useAuthSession } from '../../../platform/session/session-context.tsx';
import { termsVersion } from '../../../platform/session/terms-version.ts';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { emailFault, newPasswordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { AddressField } from './address-field.tsx';

interface Properties {
  readonly email: string;
  readonly onEmail: (email: string) => void;
}

/** Sign-up repeats the agreement to the terms and records the accepted version with the account. */
export function CreateAccountForm({ email, onEmail }: Properties) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const openHttp = useOpenHttp();
  const { data: config } = usePublicConfig();
  const isEmbedded = config?.identity.mode === 'embedded';

  async function signUp(credentials: { readonly email: string; readonly password: string }) {
    const identity = await findIdentity();
    // Other services refuse a field that they do not know; there the agreement is told to our own server.
    return identity.signUp(isEmbedded ? { ...credentials, termsVersion } : credentials);
  }

  const form = useForm(
    { email, password: '', agreed: '' },
    {
      email: (text) => emailFault(text, t),
      password: (text) => newPasswordFault(text, t),
      agreed: (text) => (text === '' ? t('login.agreeFirst') : null),
    },
    async (values) => {
      const credentials = { email: values.email.trim(), password: values.password };
      const failure = await session.signIn(credentials.email, false, () => signUp(credentials));
      if (failure) return refusalOf(failure, ['email', 'password'], t);
      if (!isEmbedded) {
        const agree = async () => (await openHttp()).post('/v1/account/terms', { version: termsVersion });
        agree().catch((error: unknown) => {
          // biome-ignore lint/suspicious/noConsole: the account screen asks again
          console.error('The agreement to the terms could not be recorded', error);
        });
      }
      return null;
    },
  );
  const agreedField = form.field('agreed');
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      <AddressField field={form.field('email')} onEmail={onEmail} />
      <PasswordField
        {...form.field('password')}
        label={t('login.password')}
        autoComplete="new-password"
        help={t('login.passwordHelp', { limit: identityLimits.passwordMinLength })}
      />
      <CheckBox
        name={agreedField.name}
        checked={agreedField.value !== ''}
        onChange={(checked) => agreedField.onChange(checked ? 'agreed' : '')}
        fault={agreedField.fault}
      >
        {/* In a window of their own: what has been typed here stays. */}
        <Trans
          t={t}
          i18nKey="landing.agree"
          components={{ terms: <Link to="/toc" target="_blank" />, privacy: <Link to="/toc#privacy" target="_blank" /> }}
        />
      </CheckBox>
      <FormEnd label={t('login.create')} isBusy={form.isBusy} refusal={form.refusal} />
    </form>
  );
}
