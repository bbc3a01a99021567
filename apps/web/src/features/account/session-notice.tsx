import type { termsAnswerSchema } from '@chiffchaff/contract';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'react-router';
import type { z } from 'zod';
import { useTranslation, withLaterTexts } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { useAuthSession, useAuthSnapshot, useOpenHttp } from '../../platform/session/session-context.tsx';
import { termsVersion } from '../../platform/session/terms-version.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './session-notice.module.css';

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
    <SessionNotice title={t(ended === 'expired' ? 'problem.SESSION_EXPIRED' : 'session.endedElsewhere')}>
      <div className="cluster-tight">
        {pathname !== '/login' && (
          <Link to="/login" className="link">
            {t('session.signIn')}
          </Link>
        )}
        <Button onClick={acknowledgeEnd}>{t('layout.close')}</Button>
      </div>
    </SessionNotice>
  );
}

const SessionNotice = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={styles.notice}>
    <Notice tone="information" title={title} announce>
      {children}
    </Notice>
  </div>
);

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
      setDialog(await withLaterTexts(import('./sign-in-again.tsx')));
    } catch {
      setIsUnreachable(true);
    }
  }

  if (dialog) return <dialog.SignInAgain onClose={() => setDialog(null)} />;
  if (isDismissed) return null;
  return (
    <SessionNotice title={t('session.ending', { time })}>
      {isUnreachable && <p>{t('failure.network')}</p>}
      <div className="cluster-tight">
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
    </SessionNotice>
  );
}

const TERMS = '/v1/account/terms';
/** Query key for whether to ask. Like all data of an account, it is dropped when the session ends. */
const keyOf = (localId: string | null) => ['account', localId, 'termsQuestion'];

/** Checks, after a sign-in, whether the user has agreed to an earlier version of the terms but not to the current one. */
export function useAskAboutTerms(): () => Promise<void> {
  const session = useAuthSession();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const version = termsVersion(usePublicConfig().data);
  return async () => {
    const { accepted } = (await (await openHttp()).get<z.infer<typeof termsAnswerSchema>>(TERMS)).data;
    const isOutdated = accepted.length > 0 && accepted.every((acceptance) => acceptance.version !== version);
    queries.setQueryData(keyOf(session.snapshot().state.localId), isOutdated);
  };
}

/** Asks for agreement to the current version of the terms; null if there is no need to ask. Those who do not agree lose nothing. */
function useTermsQuestion(): ReactNode {
  const { t } = useTranslation();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const version = termsVersion(usePublicConfig().data);
  const queryKey = keyOf(useAuthSnapshot().state.localId);
  const { data: isOutdated } = useQuery<boolean>({ queryKey, queryFn: skipToken });
  const putAway = () => queries.setQueryData(queryKey, false);
  const agree = useMutation({
    mutationFn: async () => (await openHttp()).post(TERMS, { version }),
    onSuccess: putAway,
  });
  if (!isOutdated) return null;
  return (
    <SessionNotice title={t('account.termsChanged')}>
      {agree.isError && <p>{t('failure.network')}</p>}
      <p>
        <Link to="/toc">{t('account.readTerms')}</Link>
      </p>
      <div className="cluster-tight">
        <Button look="main" isDisabled={agree.isPending} onClick={() => agree.mutate()}>
          {t('account.agree')}
        </Button>
        <Button onClick={putAway}>{t('session.notNow')}</Button>
      </div>
    </SessionNotice>
  );
}
