import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { usePublicConfig } from '../../../platform/api/public-config.ts';
import { Notice } from '../../../ui/notice.tsx';
import { WhyHere } from '../../../ui/why-here.tsx';
import styles from './login.module.css';
import { CreateAccountForm, ForgotPasswordForm, SignInForm } from './login-forms.tsx';

const switchable = ['signIn', 'create'] as const;

const signedOutSentences = {
  loggedOut: 'login.signedOut',
  deleted: 'login.deleted',
  everywhere: 'login.signedOutEverywhere',
} as const;

interface Arrival {
  readonly signedOut?: keyof typeof signedOutSentences;
  readonly email?: string;
  readonly view?: 'forgot';
}

/** An invitation link carries its code after the `#`, which no server receives. */
function readInvitation(hash: string): { readonly code: string; readonly email: string } | null {
  const parts = new URLSearchParams(hash.slice(1));
  const code = parts.get('invitation');
  return code ? { code, email: parts.get('email') ?? '' } : null;
}

/** `/login`: sign in or create an account, on one screen with a visible switch, or reset a forgotten password. */
export function LoginScreen() {
  const { t } = useTranslation();
  const { state, hash } = useLocation();
  const arrival: Arrival = state ?? {};
  const invitation = readInvitation(hash);
  const { data: config } = usePublicConfig();
  const [view, setView] = useState<'signIn' | 'create' | 'forgot'>(arrival.view ?? (invitation ? 'create' : 'signIn'));
  // The typed address is carried over from one form to the next.
  const [email, setEmail] = useState(arrival.email ?? invitation?.email ?? '');
  const signUp = config?.identity.signUp;
  const refusal =
    signUp === 'closed' ? 'identity.signUpClosed' : signUp === 'invite' && !invitation ? 'identity.invitationNeeded' : null;
  const title = useRef<HTMLHeadingElement>(null);
  const shownView = useRef(view);

  useEffect(() => {
    if (shownView.current === view) return;
    // The switch itself stays; the buttons to and from the third form disappear.
    if (view === 'forgot' || shownView.current === 'forgot') title.current?.focus();
    shownView.current = view;
  }, [view]);

  return (
    <div className={`stack ${styles.screen}`}>
      <title>{view === 'signIn' ? t('title.login') : `${t(`login.${view}Title`)} · Chiffchaff`}</title>
      <WhyHere />
      {arrival.signedOut !== undefined && view === 'signIn' && (
        <Notice tone="information" title={t(signedOutSentences[arrival.signedOut])} />
      )}
      <section className={`stack card ${styles.card}`}>
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
          (refusal ? (
            <p>{t(refusal)}</p>
          ) : (
            <>
              {invitation && <p>{t('login.invited')}</p>}
              <CreateAccountForm email={email} onEmail={setEmail} inviteCode={invitation?.code} />
            </>
          ))}
        {view === 'forgot' && <ForgotPasswordForm email={email} onEmail={setEmail} onBack={() => setView('signIn')} />}
      </section>
    </div>
  );
}
