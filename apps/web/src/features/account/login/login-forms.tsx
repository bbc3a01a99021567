import { useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { RichText } from '../../../languages/rich-text.tsx';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { toIdentityFailure } from '../../../platform/identity/identity-failure.ts';
import { identitySentence } from '../../../platform/identity/identity-sentence.ts';
import { useIdentity } from '../../../platform/identity/open-identity.ts';
import { useAuthSession, useOpenHttp, useTermsTick } from '../../../platform/session/session-context.tsx';
import { termsVersion } from '../../../platform/session/terms-version.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { Form, type FormField, PasswordField, TextField } from '../../../ui/form/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useAskAboutTerms } from '../session-notice.tsx';
import { emailFault, newPasswordFault, passwordFault, useAccountForm } from '../use-account-form.ts';

interface Properties {
  readonly email: string;
  /** Also called when the address changes, so that it stays when the user switches to another form. */
  readonly onEmail: (email: string) => void;
}

function AddressField({ field, onEmail }: Pick<Properties, 'onEmail'> & { readonly field: FormField }) {
  const { t } = useTranslation();
  const onChange = (text: string) => {
    field.onChange(text);
    onEmail(text);
  };
  return <TextField {...field} onChange={onChange} label={t('login.email')} type="email" autoComplete="username" required />;
}

/** On success, the route takes over and redirects to where the user wanted to go. */
export function SignInForm({ email, onEmail, onForgot }: Properties & { readonly onForgot: () => void }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const askAboutTerms = useAskAboutTerms();
  const [isKept, setIsKept] = useState(false);
  const form = useAccountForm({ email, password: '' }, { email: emailFault, password: passwordFault }, async (values) => {
    const credentials = { ...values, email: values.email.trim() };
    const failure = await session.signIn(credentials.email, isKept, async () => (await findIdentity()).signIn(credentials));
    if (failure) throw failure;
    askAboutTerms().catch((error: unknown) => {
      // biome-ignore lint/suspicious/noConsole: the account screen asks, too
      console.error('It could not be found out whether the terms have changed', error);
    });
  });
  const forgot = <Button onClick={onForgot}>{t('login.forgotTitle')}</Button>;
  return (
    <Form form={form} label={t('session.signIn')} aside={forgot}>
      <AddressField field={form.field('email')} onEmail={onEmail} />
      <PasswordField {...form.field('password')} label={t('login.password')} />
      <CheckBox name="keep" checked={isKept} onChange={setIsKept} help={t('login.keepHelp')}>
        {t('login.keep')}
      </CheckBox>
    </Form>
  );
}

/** Sign-up repeats the agreement to the terms, ticked if it was ticked before, and records the accepted version with the account. */
export function CreateAccountForm({ email, onEmail, inviteCode }: Properties & { readonly inviteCode: string | undefined }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const openHttp = useOpenHttp();
  const { data: config } = usePublicConfig();
  const isEmbedded = config?.identity.mode === 'embedded';
  const version = termsVersion(config);
  const [isTicked, setTicked] = useTermsTick();
  const form = useAccountForm(
    { email, password: '', agreed: isTicked ? 'agreed' : '' },
    { email: emailFault, password: newPasswordFault, agreed: (text) => (text === '' ? t('login.agreeFirst') : null) },
    async ({ email: typed, password }) => {
      // Other services reject unknown fields, so with them the agreement is sent to our own server.
      const credentials = {
        email: typed.trim(),
        password,
        ...(isEmbedded && { termsVersion: version, ...(inviteCode && { inviteCode }) }),
      };
      const failure = await session.signIn(credentials.email, false, async () => (await findIdentity()).signUp(credentials));
      if (failure) throw failure;
      if (isEmbedded) return;
      const agree = async () => (await openHttp()).post('/v1/account/terms', { version });
      agree().catch((error: unknown) => {
        // biome-ignore lint/suspicious/noConsole: the account screen asks again
        console.error('The agreement to the terms could not be recorded', error);
      });
    },
  );
  const agreed = form.field('agreed');
  return (
    <Form form={form} label={t('login.create')}>
      <AddressField field={form.field('email')} onEmail={onEmail} />
      <PasswordField {...form.field('password')} label={t('login.password')} isNew />
      {config?.identity.mailAvailable === false && <p className="soft small">{t('login.noMail')}</p>}
      <CheckBox
        name={agreed.name}
        checked={agreed.value !== ''}
        onChange={(checked) => {
          setTicked(checked);
          agreed.onChange(checked ? 'agreed' : '');
        }}
        fault={agreed.fault}
      >
        {/* In a new window, so that nothing typed here is lost. */}
        <RichText
          text={t('landing.agree')}
          tags={{ terms: <Link to="/toc" target="_blank" />, privacy: <Link to="/toc#privacy" target="_blank" /> }}
        />
      </CheckBox>
    </Form>
  );
}

/** Requests an email with a link for a new password. Never reveals whether an account exists, whatever the service responds. */
export function ForgotPasswordForm({ email, onEmail, onBack }: Properties & { readonly onBack: () => void }) {
  const { t } = useTranslation();
  const findIdentity = useIdentity();
  const { data: config } = usePublicConfig();
  const form = useAccountForm({ email }, { email: emailFault }, async (values) => {
    try {
      await (await findIdentity()).sendCodeMail({ requestType: 'PASSWORD_RESET', email: values.email.trim() });
    } catch (thrown) {
      // A service without email enumeration protection reveals it; this page does not.
      if (identitySentence(toIdentityFailure(thrown).message, t) !== t('identity.wrongCredentials')) throw thrown;
    }
  });
  const back = <Button onClick={onBack}>{t('login.back')}</Button>;
  const contact = config?.terms.contactEmail;
  if (config?.identity.mailAvailable === false)
    return (
      <>
        <p>{contact ? t('login.askContact', { contact }) : t('login.askOperator')}</p>
        <p>{back}</p>
      </>
    );
  if (form.accepted)
    return (
      <>
        <Notice tone="information" title={t('login.sentTitle')} announce>
          <p>{t('login.sent', { email: form.accepted.email.trim() })}</p>
        </Notice>
        <p>{back}</p>
      </>
    );
  return (
    <Form form={form} label={t('login.send')} aside={back}>
      <p>{t('login.forgotHelp')}</p>
      <AddressField field={form.field('email')} onEmail={onEmail} />
    </Form>
  );
}
