import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { CodeMeaning } from '../../../platform/identity/identity-client.ts';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import formStyles from '../../../ui/form/form.module.css';
import { FormEnd } from '../../../ui/form/form-end.tsx';
import { useForm } from '../../../ui/form/use-form.ts';
import { Notice } from '../../../ui/notice.tsx';
import { refusalOf } from '../refusal-of.ts';
import { useRefreshAccount } from '../use-profile.ts';

/** The texts of each kind: title, question, button, and what is said when it is done. */
const texts = {
  VERIFY_EMAIL: ['link.verifyTitle', 'link.verify', 'link.verifyButton', 'link.verifyDone'],
  VERIFY_AND_CHANGE_EMAIL: ['link.changeTitle', 'link.change', 'link.changeButton', 'link.changeDone'],
  RECOVER_EMAIL: ['link.recoverTitle', 'link.recover', 'link.recoverButton', 'link.recoverDone'],
} as const;

interface Properties {
  readonly oobCode: string;
  readonly meaning: CodeMeaning;
}

/** Verifies, changes or recovers an address. At a press: programs that look into mails open links too. */
export function ApplyCode({ oobCode, meaning }: Properties) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const { state } = useAuthSnapshot();
  const findIdentity = useIdentity();
  const refresh = useRefreshAccount();
  const [isDone, setIsDone] = useState(false);
  const { requestType, email, newEmail } = meaning;
  const form = useForm({}, {}, async () => {
    try {
      const { localId } = await (await findIdentity()).applyCode(oobCode);
      // Another address ends every session of the account, this browser's included.
      if (requestType !== 'VERIFY_EMAIL' && localId === session.snapshot().state.localId) session.signOut({ revoke: false });
      else refresh();
    } catch (thrown) {
      return refusalOf(thrown, [], t);
    }
    setIsDone(true);
    return null;
  });
  if (requestType === 'PASSWORD_RESET') return null;
  const [title, question, button, done] = texts[requestType];
  const address = requestType === 'VERIFY_AND_CHANGE_EMAIL' ? (newEmail ?? email) : email;
  return (
    <>
      <h1>{t(title)}</h1>
      {isDone ? (
        <>
          <Notice tone="information" title={t(done, { email: address })} announce>
            {requestType === 'RECOVER_EMAIL' && <p>{t('link.recoverHelp')}</p>}
          </Notice>
          {state.token === null ? (
            <Link
              to="/login"
              state={requestType === 'RECOVER_EMAIL' ? { view: 'forgot', email: address } : { email: address }}
              className="button"
            >
              {t(requestType === 'RECOVER_EMAIL' ? 'link.newPassword' : 'session.signIn')}
            </Link>
          ) : (
            <Link to="/account" className="button">
              {t('link.toAccount')}
            </Link>
          )}
        </>
      ) : (
        <form className={formStyles.form} onSubmit={form.onSubmit}>
          <p>{t(question, { email: address })}</p>
          <FormEnd label={t(button)} isBusy={form.isBusy} refusal={form.refusal} />
        </form>
      )}
    </>
  );
}
