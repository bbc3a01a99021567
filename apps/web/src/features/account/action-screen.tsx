import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useSearchParams } from 'react-router';
import { speak, useTranslation } from '../../languages/i18n.ts';
import type { CodeMeaning } from '../../platform/identity/identity-client.ts';
import { identitySentence } from '../../platform/identity/identity-sentence.ts';
import { useIdentity } from '../../platform/identity/open-identity.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { preferences } from '../../platform/storage/preferences.ts';
import { Form, PasswordField } from '../../ui/form/form.tsx';
import { Failure, Notice } from '../../ui/notice.tsx';
import loginStyles from './login/login.module.css';
import { useRefreshAccount } from './use-account.ts';
import { newPasswordFault, useAccountForm } from './use-account-form.ts';

const requestTypes: { readonly [mode: string]: string } = {
  resetPassword: 'PASSWORD_RESET',
  verifyEmail: 'VERIFY_EMAIL',
  verifyAndChangeEmail: 'VERIFY_AND_CHANGE_EMAIL',
  recoverEmail: 'RECOVER_EMAIL',
};

const texts = {
  VERIFY_EMAIL: ['link.verifyTitle', 'link.verify', 'link.verifyButton', 'link.verifyDone'],
  VERIFY_AND_CHANGE_EMAIL: ['link.changeTitle', 'link.change', 'link.changeButton', 'link.changeDone'],
  RECOVER_EMAIL: ['link.recoverTitle', 'link.recover', 'link.recoverButton', 'link.recoverDone'],
} as const;

/** `/account/action?mode=…&oobCode=…&lang=…`: target of the links in all emails. It checks the code first, and uses it only on a press. */
export function ActionScreen() {
  const { t } = useTranslation();
  const [parameters] = useSearchParams();
  const findIdentity = useIdentity();
  const isSignedIn = useAuthSnapshot().state.token !== null;
  const oobCode = parameters.get('oobCode') ?? '';
  const language = parameters.get('lang');
  const mode = parameters.get('mode') ?? '';
  const expected = Object.hasOwn(requestTypes, mode) ? requestTypes[mode] : undefined;
  const isComplete = oobCode !== '' && expected !== undefined;
  const code = useQuery({
    queryKey: ['code', oobCode],
    queryFn: async () => (await findIdentity()).checkCode(oobCode),
    enabled: isComplete,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => {
    // The email was written in this language; the user's own choice takes precedence.
    if (language !== null && preferences.snapshot().language === null) void speak(language);
  }, [language]);

  const isWrong = !isComplete || (code.data !== undefined && code.data.requestType !== expected);
  const refusal = isWrong ? 'INVALID_OOB_CODE' : code.error?.message;
  return (
    <div className={`stack ${loginStyles.screen}`}>
      <title>{t('title.account')}</title>
      <section className={`stack card ${loginStyles.card}`}>
        {refusal !== undefined && (
          <>
            <h1>{t('link.failedTitle')}</h1>
            <Failure sentence={identitySentence(refusal, t)} />
            {mode === 'resetPassword' && !isSignedIn ? (
              <Link to="/login" state={{ view: 'forgot' }} className="button">
                {t('link.another')}
              </Link>
            ) : (
              <Link to="/account" className="button">
                {t('link.toAccount')}
              </Link>
            )}
          </>
        )}
        {refusal === undefined && code.isPending && <p role="status">{t('form.working')}</p>}
        {refusal === undefined && code.data?.requestType === 'PASSWORD_RESET' && (
          <ResetPassword oobCode={oobCode} email={code.data.email} />
        )}
        {refusal === undefined && code.data && code.data.requestType !== 'PASSWORD_RESET' && (
          <ApplyCode oobCode={oobCode} {...code.data} requestType={code.data.requestType} />
        )}
      </section>
    </div>
  );
}

interface CodeProperties extends Pick<CodeMeaning, 'email' | 'newEmail'> {
  readonly oobCode: string;
  readonly requestType: keyof typeof texts;
}

/** Verifies, changes or recovers an address. It waits for a press, since programs that scan emails open links too. */
function ApplyCode({ oobCode, requestType, email, newEmail }: CodeProperties) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const { state } = useAuthSnapshot();
  const findIdentity = useIdentity();
  const refresh = useRefreshAccount();
  const form = useAccountForm({}, {}, async () => {
    const { localId } = await (await findIdentity()).applyCode(oobCode);
    // A changed address ends every session of the account, including this browser's.
    if (requestType !== 'VERIFY_EMAIL' && localId === session.snapshot().state.localId) session.signOut({ revoke: false });
    else refresh();
  });
  const [title, question, button, done] = texts[requestType];
  const isRecovery = requestType === 'RECOVER_EMAIL';
  const address = requestType === 'VERIFY_AND_CHANGE_EMAIL' ? (newEmail ?? email) : email;
  if (!form.accepted)
    return (
      <>
        <h1>{t(title)}</h1>
        <Form form={form} label={t(button)}>
          <p>{t(question, { email: address })}</p>
        </Form>
      </>
    );
  return (
    <>
      <h1>{t(title)}</h1>
      <Notice tone="information" title={t(done, { email: address })} announce>
        {isRecovery && <p>{t('link.recoverHelp')}</p>}
      </Notice>
      {state.token === null ? (
        <Link to="/login" state={{ email: address, ...(isRecovery && { view: 'forgot' }) }} className="button">
          {t(isRecovery ? 'link.resetTitle' : 'session.signIn')}
        </Link>
      ) : (
        <Link to="/account" className="button">
          {t('link.toAccount')}
        </Link>
      )}
    </>
  );
}

/** Sets a new password for the account that the email was sent to; a refused password does not use up the code. */
function ResetPassword({ oobCode, email }: { readonly oobCode: string; readonly email: string }) {
  const { t } = useTranslation();
  const session = useAuthSession();
  const findIdentity = useIdentity();
  const form = useAccountForm({ newPassword: '' }, { newPassword: newPasswordFault }, async ({ newPassword }) => {
    await (await findIdentity()).resetPassword(oobCode, newPassword);
    const { state } = session.snapshot();
    if (state.username?.toLowerCase() === email.toLowerCase()) session.signOut({ revoke: false });
  });
  return (
    <>
      <h1>{t('link.resetTitle')}</h1>
      {form.accepted ? (
        <>
          <Notice tone="information" title={t('account.passwordChanged')} announce />
          <Link to="/login" state={{ email }} className="button">
            {t('session.signIn')}
          </Link>
        </>
      ) : (
        <Form form={form} label={t('account.setPassword')} username={email}>
          <p>{t('link.resetFor', { email })}</p>
          <PasswordField {...form.field('newPassword')} label={t('account.newPassword')} isNew />
        </Form>
      )}
    </>
  );
}
