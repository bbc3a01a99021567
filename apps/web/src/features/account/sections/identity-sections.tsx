import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import type { AccountProfile } from '../../../platform/identity/identity-client.ts';
import { outboxCount } from '../../../platform/outbox/outbox-page.ts';
import { deleteSessionsOf } from '../../../platform/recording/sessions.ts';
import { useAccountApi, useAuthSession } from '../../../platform/session/session-context.tsx';
import { Form, PasswordField, TextField } from '../../../ui/form/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { useAccountCalls, useRefreshAccount } from '../use-account.ts';
import { displayNameFault, emailFault, newPasswordFault, passwordFault, useAccountForm } from '../use-account-form.ts';
import { Section } from './section.tsx';

interface EmailProperties {
  readonly profile: AccountProfile;
  readonly canMail: boolean;
}

export function EmailSection({ profile: { email, emailVerified }, canMail }: EmailProperties) {
  const { t } = useTranslation();
  const Icon = emailVerified ? IconCircleCheck : IconAlertCircle;
  return (
    <Section title={t('login.email')}>
      <p className="cluster-tight">
        <span className="strong">{email}</span>
        <span className={`line small ${styles.badge}`} data-tone={emailVerified ? undefined : 'warning'}>
          <Icon aria-hidden="true" />
          {t(emailVerified ? 'account.verified' : 'account.notVerified')}
        </span>
      </p>
      {canMail && !emailVerified && <VerificationMail email={email} />}
      {canMail ? (
        <details>
          <summary className="button button-secondary">{t('account.changeEmail')}</summary>
          <ChangeEmailForm email={email} />
        </details>
      ) : (
        <p className="soft small">{t('account.noMail')}</p>
      )}
    </Section>
  );
}

function VerificationMail({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const form = useAccountForm({}, {}, () =>
    calls.withToken((identity, idToken) => identity.sendCodeMail({ requestType: 'VERIFY_EMAIL', idToken })),
  );
  if (form.accepted) return <Notice tone="information" title={t('account.verificationSent', { email })} announce />;
  return <Form form={form} label={t('account.sendVerification')} quiet />;
}

/** The new address replaces the old one only after it has been confirmed by email. */
function ChangeEmailForm({ email }: { readonly email: string }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const form = useAccountForm(
    { email: '', password: '' },
    {
      email: (text) => emailFault(text, t) ?? (text.trim().toLowerCase() === email ? t('account.sameEmail') : null),
      password: passwordFault,
    },
    async (values) => {
      await calls.confirmPassword(email, values.password);
      const newEmail = values.email.trim();
      await calls.withToken((identity, idToken) =>
        identity.sendCodeMail({ requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail }),
      );
    },
  );
  if (form.accepted)
    return (
      <Notice tone="information" title={t('account.verificationSent', { email: form.accepted.email.trim() })} announce>
        <p>{t('account.changeSentHelp')}</p>
      </Notice>
    );
  return (
    <Form form={form} label={t('account.sendChange')}>
      <TextField {...form.field('email')} label={t('account.newEmail')} type="email" autoComplete="email" required />
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} help={t('account.whyPassword')} />
    </Form>
  );
}

export function DisplayNameSection({ profile }: { readonly profile: AccountProfile }) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const form = useAccountForm({ displayName: profile.displayName }, { displayName: displayNameFault }, ({ displayName }) =>
    calls.withToken((identity, idToken) => identity.setDisplayName(idToken, displayName.trim())),
  );
  const saved = (
    <span role="status" className="soft small">
      {form.accepted ? t('account.saved') : ''}
    </span>
  );
  return (
    <Section title={t('account.displayName')}>
      <Form form={form} label={t('action.save')} quiet aside={saved}>
        <TextField
          {...form.field('displayName')}
          label={t('account.displayNameLabel')}
          autoComplete="nickname"
          help={t('account.displayNameHelp')}
        />
      </Form>
    </Section>
  );
}

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
        <summary className="button button-secondary">{t('account.changePassword')}</summary>
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
  const form = useAccountForm(
    { password: '', newPassword: '' },
    { password: passwordFault, newPassword: newPasswordFault },
    async ({ password, newPassword }) => {
      await calls.confirmPassword(email, password);
      session.resume(await calls.withToken((identity, idToken) => identity.setPassword(idToken, newPassword)));
      refresh();
      onChanged();
    },
  );
  return (
    <Form form={form} label={t('account.setPassword')} username={email}>
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} />
      <PasswordField {...form.field('newPassword')} label={t('account.newPassword')} isNew />
    </Form>
  );
}

interface DeleteProperties {
  readonly email: string;
  /** The accounts are this server's own. */
  readonly isEmbedded: boolean;
}

export function DeleteSection(properties: DeleteProperties) {
  const { t } = useTranslation();
  return (
    <Section title={t('account.delete')} tone="warning" anchor="delete">
      <p>{t('account.deleteHelp')}</p>
      <details>
        <summary className="button button-destructive">{t('account.deleteBegin')}</summary>
        <DeleteForm {...properties} />
      </details>
    </Section>
  );
}

function DeleteForm({ email, isEmbedded }: DeleteProperties) {
  const { t } = useTranslation();
  const calls = useAccountCalls();
  const { openHttp, localId } = useAccountApi();
  const navigate = useNavigate();
  const form = useAccountForm({ password: '' }, { password: passwordFault }, async ({ password }) => {
    await calls.confirmPassword(email, password);
    // A foreign service does not delete what this server stores.
    if (!isEmbedded) await (await openHttp()).delete('/v1/account');
    await calls.withToken((identity, idToken) => identity.deleteAccount(idToken));
    if (localId !== null && outboxCount.snapshot() > 0) {
      const { outbox } = await import('../../../platform/outbox/outbox.ts');
      await outbox.removeAllOf(localId);
    }
    if (localId !== null) void deleteSessionsOf(localId);
    await navigate('/login', { state: { signOut: 'deleted' } });
  });
  return (
    <Form form={form} label={t('account.deleteButton')} username={email}>
      <PasswordField {...form.field('password')} label={t('account.currentPassword')} />
    </Form>
  );
}
