import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountProfile } from '../../../platform/identity/identity-client.ts';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { PasswordField } from '../../../ui/form/password-field.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { emailFault, passwordFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { useAccountCalls } from '../use-account-calls.ts';
import { Section } from './section.tsx';

interface Properties {
  readonly profile: AccountProfile;
  /** The server can send mail. */
  readonly canMail: boolean;
}

export function EmailSection({ profile, canMail }: Properties) {
  const { t } = useTranslation();
  const { email, emailVerified } = profile;
  const Icon = emailVerified ? IconCircleCheck : IconAlertCircle;
  return (
    <Section title={t('login.email')}>
      <p className={styles.lead}>
        <span className={styles.email}>{email}</span>
        <span className={styles.badge} data-tone={emailVerified ? undefined : 'warning'}>
          <Icon aria-hidden="true" />
          {t(emailVerified ? 'account.verified' : 'account.notVerified')}
        </span>
      </p>
      {canMail && !emailVerified && <VerificationMail email={email} />}
      {canMail ? (
        <details>
          <summary>{t('account.changeEmail')}</summary>
          <ChangeEmailForm email={email} />
        </details>
      ) : (
        <p className={styles.soft}>{t('account.noMail')}</p>
      )}
    </Section>
  );
}

function VerificationMail({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const [isSent, setIsSent] = useState(false);
  const form = useForm({}, {}, async () => {
    try {
      await calls.withToken((identity, idToken) => identity.sendCodeMail({ requestType: 'VERIFY_EMAIL', idToken }));
      setIsSent(true);
      return null;
    } catch (thrown) {
      return refusalOf(thrown, [], t);
    }
  });
  if (isSent) return <Notice tone="information" title={t('account.verificationSent', { email })} announce />;
  return (
    <form className={formStyles.form} onSubmit={form.onSubmit}>
      <FormEnd label={t('account.sendVerification')} isBusy={form.isBusy} refusal={form.refusal} quiet />
    </form>
  );
}

/** The new address is confirmed by a mail to it before it takes the old one’s place. */
function ChangeEmailForm({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm(
    { email: '', password: '' },
    {
      email: (text) => emailFault(text, t) ?? (text.trim().toLowerCase() === email ? t('account.sameEmail') : null),
      password: (text) => passwordFault(text, t),
    },
    async (values) => {
      const newEmail = values.email.trim();
      try {
        await calls.confirmPassword(email, values.password);
        await calls.withToken((identity, idToken) =>
          identity.sendCodeMail({ requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail }),
        );
        setSentTo(newEmail);
        return null;
      } catch (thrown) {
        return refusalOf(thrown, ['email', 'password'], t);
      }
    },
  );
  if (sentTo !== null)
    return (
      <Notice tone="information" title={t('account.changeSent', { email: sentTo })} announce>
        <p>{t('account.changeSentHelp')}</p>
      </Notice>
    );
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      <TextField {...form.field('email')} label={t('account.newEmail')} type="email" autoComplete="email" required />
      <PasswordField
        {...form.field('password')}
        label={t('account.currentPassword')}
        autoComplete="current-password"
        help={t('account.whyPassword')}
      />
      <FormEnd label={t('account.sendChange')} isBusy={form.isBusy} refusal={form.refusal} />
    </form>
  );
}
