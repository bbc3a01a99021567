import { type ComponentType, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { dateLocale } from '../../platform/format/format.ts';
import { useAuthSession, useAuthSnapshot } from '../../platform/session/session-context.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './session-notice.module.css';
import { useTermsQuestion } from './terms-question.tsx';

/**
 * The session's notice, shown on every screen: it ends soon and how to stay, it has ended, or the terms have changed; null if there is
 * none.
 */
export function useSessionNotice(): ReactNode {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { acknowledgeEnd } = useAuthSession();
  const { state, expiresAtMs, isEnding, ended } = useAuthSnapshot();
  const termsQuestion = useTermsQuestion();
  if (expiresAtMs !== null) return isEnding ? <EndingNotice key={expiresAtMs} expiresAtMs={expiresAtMs} /> : termsQuestion;
  // A user who signs out here knows it; the login screen confirms it.
  if (ended === null || ended === 'signedOut' || state.loading) return null;
  return (
    <div className={styles.notice}>
      <Notice tone="information" title={t(ended === 'expired' ? 'problem.SESSION_EXPIRED' : 'session.endedElsewhere')} announce>
        <div className={styles.actions}>
          {pathname !== '/login' && (
            <Link to="/login" className="link">
              {t('session.signIn')}
            </Link>
          )}
          <Button onClick={acknowledgeEnd}>{t('session.close')}</Button>
        </div>
      </Notice>
    </div>
  );
}

/** With a refresh token in memory, one press is enough; without one, the user enters the password without leaving the page. */
function EndingNotice({ expiresAtMs }: { readonly expiresAtMs: number }) {
  const { t, i18n } = useTranslation();
  const session = useAuthSession();
  const { state } = useAuthSnapshot();
  const [isDismissed, setIsDismissed] = useState(false);
  const [dialog, setDialog] = useState<{ readonly SignInAgain: ComponentType<{ onClose: () => void }> } | null>(null);
  const [isUnreachable, setIsUnreachable] = useState(false);
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { timeStyle: 'short' }).format(expiresAtMs);

  /** Loads the dialog on demand: most sessions end without it. */
  async function ask(): Promise<void> {
    try {
      setDialog(await import('./sign-in-again.tsx'));
    } catch {
      setIsUnreachable(true);
    }
  }

  if (dialog) return <dialog.SignInAgain onClose={() => setDialog(null)} />;
  if (isDismissed) return null;
  return (
    <div className={styles.notice}>
      <Notice tone="information" title={t('session.ending', { time })} announce>
        {isUnreachable && <p>{t('failure.network')}</p>}
        <div className={styles.actions}>
          {state.refreshToken === null ? (
            <Button look="main" onClick={() => void ask()}>
              {t('session.signInAgain')}
            </Button>
          ) : (
            <Button look="main" isDisabled={state.loading} onClick={() => void session.renew()}>
              {t('session.stay')}
            </Button>
          )}
          <Button onClick={() => setIsDismissed(true)}>{t('session.notNow')}</Button>
        </div>
      </Notice>
    </div>
  );
}
