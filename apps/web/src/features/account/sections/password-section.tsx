import { identityLimits } from '@chiffchaff/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuthSession } from '../../../platform/session/session-context.tsx';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Notice } from '../../../ui/notice.tsx';
import { newPasswordFault, passwordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { useAccountCalls } from '../use-account-calls.ts';
import { useRefreshAccount } from '../use-profile.ts';
import { Section } from './section.tsx';

/** A new password keeps the session on this device and ends all others. */
export function PasswordSection({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const [changes, setChanges] = useState(0);
  return (
    <Section title={t('login.password')}>
      {changes > 0 && (
        <Notice tone="information" title={t('account.passwordChanged')} announce>
          <p>{t('account.passwordChangedHelp')}</p>
        </Notice>
      )}
      <details key={changes}>
        <summary>{t('account.changePassword')}</summary>
        <ChangePasswordForm email={email} onChanged={() => setChanges(changes + 1)} />
      </details>
    </Section>
  );
}

function ChangePasswordForm({ email, onChanged }: { readonly email: string; readonly onChanged: () => void }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const calls = useAccountCalls();
  const refresh = useRefreshAccount();
  const form = useForm(
    { password: '', newPassword: '' },
    { password: (text) => passwordFault(text, t), newPassword: (text) => newPasswordFault(text, t) },
    async ({ password, newPassword }) => {
      try {
        await calls.confirmPassword(email, password);
        session.resume(await calls.withToken((identity, idToken) => identity.setPassword(idToken, newPassword)));
        refresh();
        onChanged();
        return null;
      } catch (thrown) {
        return refusalOf(thrown, ['newPassword', 'password'], t);
      }
    },
  );
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      {/* For password managers: whose password it is. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} autoComplete="current-password" />
      <PasswordField
        {...form.field('newPassword')}
        label={t('account.newPassword')}
        autoComplete="new-password"
        help={t('login.passwordHelp', { limit: identityLimits.passwordMinLength })}
      />
      <FormEnd label={t('account.setPassword')} isBusy={form.isBusy} refusal={form.refusal} />
    </form>
  );
}
