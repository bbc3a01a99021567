import { identityLimits } from '@chiffchaff/contract';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import { useAuthSession } from '../../../platform/session/session-context.tsx';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Notice } from '../../../ui/notice.tsx';
import { newPasswordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';

/** A new password for whoever got the mail; a password that is refused leaves the code good. */
export function ResetPassword({ oobCode, email }: { readonly oobCode: string; readonly email: string }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const [isDone, setIsDone] = useState(false);
  const form = useForm({ newPassword: '' }, { newPassword: (text) => newPasswordFault(text, t) }, async ({ newPassword }) => {
    try {
      await (await findIdentity()).resetPassword(oobCode, newPassword);
    } catch (thrown) {
      return refusalOf(thrown, ['newPassword'], t);
    }
    // It ended every session of the account, this browser's included.
    const { state } = session.snapshot();
    if (state.username?.toLowerCase() === email.toLowerCase()) session.signOut({ revoke: false });
    setIsDone(true);
    return null;
  });
  if (isDone)
    return (
      <>
        <h1>{t('link.resetTitle')}</h1>
        <Notice tone="information" title={t('link.resetDone')} announce />
        <Link to="/login" state={{ email }} className="button">
          {t('session.signIn')}
        </Link>
      </>
    );
  return (
    <>
      <h1>{t('link.resetTitle')}</h1>
      <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
        <p>{t('link.resetFor', { email })}</p>
        {/* For password managers: whose password it is. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          {...form.field('newPassword')}
          label={t('account.newPassword')}
          autoComplete="new-password"
          help={t('login.passwordHelp', { limit: identityLimits.passwordMinLength })}
        />
        <FormEnd label={t('account.setPassword')} isBusy={form.isBusy} refusal={form.refusal} />
      </form>
    </>
  );
}
