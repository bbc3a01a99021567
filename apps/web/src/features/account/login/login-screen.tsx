import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { Notice } from '../../../ui/notice.tsx';
import { CreateAccountForm } from './create-account-form.tsx';
import { ForgotPasswordForm } from './forgot-password-form.tsx';
import styles from './login.module.css';
import { SignInForm } from './sign-in-form.tsx';

export type LoginView = 'signIn' | 'create' | 'forgot';
const switchable = ['signIn', 'create'] as const;

/** Why somebody arrives here; written by the links that lead here. */
function readArrival(state: unknown): { readonly signedOut: string | null; readonly email: string; readonly view: LoginView } {
  const given: { readonly [name: string]: unknown } = typeof state === 'object' && state !== null ? { ...state } : {};
  return {
    signedOut: typeof given.signedOut === 'string' ? given.signedOut : null,
    email: typeof given.email === 'string' ? given.email : '',
    view: given.view === 'forgot' ? 'forgot' : 'signIn',
  };
}

/** `/login`: sign in or create an account, on one screen with a visible switch, and the way out for a forgotten password. */
export function LoginScreen() {
  const { t } = useTranslation();
  const arrival = readArrival(useLocation().state);
  const { data: config } = usePublicConfig();
  const [view, setView] = useState<LoginView>(arrival.view);
  // What was typed as address goes along from one form to the next.
  const [email, setEmail] = useState(arrival.email);
  const title = useRef<HTMLHeadingElement>(null);
  const shownView = useRef(view);

  useEffect(() => {
    if (shownView.current === view) return;
    // The switch itself stays; what led to or from the third form does not.
    if (view === 'forgot' || shownView.current === 'forgot') title.current?.focus();
    shownView.current = view;
  }, [view]);

  return (
    <div className={styles.screen}>
      <title>{t('title.login')}</title>
      {arrival.signedOut !== null && view === 'signIn' && (
        <Notice
          tone="information"
          title={t(
            arrival.signedOut === 'deleted'
              ? 'login.deleted'
              : arrival.signedOut === 'everywhere'
                ? 'login.signedOutEverywhere'
                : 'login.signedOut',
          )}
        />
      )}
      <section className={styles.card}>
        <h1 ref={title} tabIndex={-1}>
          {t(`login.${view}Title`)}
        </h1>
        {view !== 'forgot' && (
          // biome-ignore lint/a11y/useSemanticElements: no form, but buttons that belong together
          <div className={styles.switch} role="group" aria-label={t('login.switch')}>
            {switchable.map((known) => (
              <button key={known} type="button" aria-pressed={view === known} onClick={() => setView(known)}>
                {t(known === 'signIn' ? 'login.haveAccount' : 'login.haveNone')}
              </button>
            ))}
          </div>
        )}
        {view === 'signIn' && <SignInForm email={email} onEmail={setEmail} onForgot={() => setView('forgot')} />}
        {view === 'create' &&
          (config?.identity.signUpOpen === false ? (
            <p>{t('identity.signUpClosed')}</p>
          ) : (
            <CreateAccountForm email={email} onEmail={setEmail} />
          ))}
        {view === 'forgot' && <ForgotPasswordForm email={email} onEmail={setEmail} onBack={() => setView('signIn')} />}
      </section>
    </div>
  );
}
