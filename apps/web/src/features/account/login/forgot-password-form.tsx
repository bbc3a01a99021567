import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Notice } from '../../../ui/notice.tsx';
import { emailFault } from '../account-fields.ts';
import { refusalOf } from '../refusal-of.ts';
import { AddressField } from './address-field.tsx';

interface Properties {
  readonly email: string;
  readonly onEmail: (email: string) => void;
  readonly onBack: () => void;
}

/** Asks for a mail with a link to a new password. Whether there is an account stays untold, whatever the service answers. */
export function ForgotPasswordForm({ email, onEmail, onBack }: Properties) {
  const { t } = useTranslation();
  const findIdentity = useIdentity();
  const { data: config } = usePublicConfig();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({ email }, { email: (text) => emailFault(text, t) }, async (values) => {
    const address = values.email.trim();
    try {
      await (await findIdentity()).sendCodeMail({ requestType: 'PASSWORD_RESET', email: address });
    } catch (thrown) {
      const refusal = refusalOf(thrown, ['email'], t);
      // A service without protection of addresses tells; this page does not.
      if (refusal.sentence !== t('identity.wrongCredentials')) return refusal;
    }
    setSentTo(address);
    return null;
  });
  const back = (
    <button type="button" className="text-button" onClick={onBack}>
      {t('login.back')}
    </button>
  );
  if (config?.identity.mailAvailable === false)
    return (
      <>
        <p>{t('login.noMail')}</p>
        <p>{back}</p>
      </>
    );
  if (sentTo !== null)
    return (
      <>
        <Notice tone="information" title={t('login.sentTitle')} announce>
          <p>{t('login.sent', { email: sentTo })}</p>
        </Notice>
        <p>{back}</p>
      </>
    );
  return (
    <form className={formStyles.form} noValidate onSubmit={form.onSubmit}>
      <p>{t('login.forgotHelp')}</p>
      <AddressField field={form.field('email')} onEmail={onEmail} />
      <FormEnd label={t('login.send')} isBusy={form.isBusy} refusal={form.refusal}>
        {back}
      </FormEnd>
    </form>
  );
}
