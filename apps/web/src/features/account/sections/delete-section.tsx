import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { passwordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { useAccountCalls } from '../use-account-calls.ts';
import { Section } from './section.tsx';

interface Properties {
  readonly email: string;
  /** The accounts are this server’s own. */
  readonly isEmbedded: boolean;
}

/** Deletes the account and everything that is kept about it, for whoever knows the password. */
export function DeleteSection({ email, isEmbedded }: Properties) {
  const { t } = useTranslation();
  return (
    <Section title={t('account.delete')} tone="warning">
      <p>{t('account.deleteHelp')}</p>
      <details>
        <summary>{t('account.deleteBegin')}</summary>
        <DeleteForm email={email} isEmbedded={isEmbedded} />
      </details>
    </Section>
  );
}

function DeleteForm({ email, isEmbedded }: Properties) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const openHttp = useOpenHttp();
  const navigate = useNavigate();
  const form = useForm({ password: '' }, { password: (text) => passwordFault(text, t) }, async ({ password }) => {
    try {
      await calls.confirmPassword(email, password);
      // A foreign service knows nothing of what this server keeps.
      if (!isEmbedded) await (await openHttp()).delete('/v1/account');
      await calls.withToken((identity, idToken) => identity.deleteAccount(idToken));
    } catch (thrown) {
      return refusalOf(thrown, ['password'], t);
    }
    await navigate('/login', { state: { signOut: 'deleted' } });
    return null;
  });
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} autoComplete="current-password" />
      <FormEnd label={t('account.deleteButton')} isBusy={form.isBusy} refusal={form.refusal} />
    </form>
  );
}
