import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { speak } from '../../../languages/i18n.ts';
import { identitySentence } from '../../../platform/identity/identity-sentence.ts';
import { useIdentity } from '../../../platform/identity/use-identity.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { preferences } from '../../../platform/storage/preferences.ts';
import { Notice } from '../../../ui/notice.tsx';
import loginStyles from '../login/login.module.css';
import { ApplyCode } from './apply-code.tsx';
import { ResetPassword } from './reset-password.tsx';

/** What the links of mails ask for, and the kind of code that goes with it. */
const requestTypes: { readonly [mode: string]: string } = {
  resetPassword: 'PASSWORD_RESET',
  verifyEmail: 'VERIFY_EMAIL',
  verifyAndChangeEmail: 'VERIFY_AND_CHANGE_EMAIL',
  recoverEmail: 'RECOVER_EMAIL',
};

/** `/account/action?mode=…&oobCode=…&lang=…`: the page behind the links of all mails. The code is looked at first, and used at a press. */
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
    // The mail was written in this language; a choice made on this page counts more.
    if (language !== null && preferences.current().language === null) void speak(language);
  }, [language]);

  const isWrong = !isComplete || (code.data !== undefined && code.data.requestType !== expected);
  const refusal = isWrong ? 'INVALID_OOB_CODE' : code.error?.message;
  return (
    <div className={loginStyles.screen}>
      <title>{t('title.account')}</title>
      <section className={loginStyles.card}>
        {refusal !== undefined && (
          <>
            <h1>{t('link.failedTitle')}</h1>
            <Notice tone="warning" title={identitySentence(refusal, t)} announce />
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
          <ApplyCode oobCode={oobCode} meaning={code.data} />
        )}
      </section>
    </div>
  );
}
