import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useAuthSession, useAuthSnapshot, useOpenHttp } from '../../platform/session/session-context.tsx';
import { termsVersion } from '../../platform/session/terms-version.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './session-notice.module.css';

const TERMS = '/v1/account/terms';
/** Query key for whether to ask. Like all data of an account, it is dropped when the session ends. */
const keyOf = (localId: string | null) => ['account', localId, 'termsQuestion'];

interface Answer {
  readonly accepted: readonly { readonly version: string }[];
}

/** Checks, after a sign-in, whether the user has agreed to an earlier version of the terms but not to the current one. */
export function useAskAboutTerms(): () => Promise<void> {
  const session = useAuthSession();
  const openHttp = useOpenHttp();
  const queries = useQueryClient();
  const version = termsVersion(usePublicConfig().data);
  return async () => {
    const { accepted } = (await (await openHttp()).get<Answer>(TERMS)).data;
    const isOutdated = accepted.length > 0 && accepted.every((acceptance) => acceptance.version !== version);
    queries.setQueryData(keyOf(session.snapshot().state.localId), isOutdated);
  };
}

/** Asks for agreement to the current version of the terms; null if there is no need to ask. Those who do not agree lose nothing. */
export function useTermsQuestion(): ReactNode {
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
    <div className={styles.notice}>
      <Notice tone="information" title={t('account.termsChanged')} announce>
        {agree.isError && <p>{t('failure.network')}</p>}
        <p>
          <Link to="/toc">{t('account.readTerms')}</Link>
        </p>
        <div className={styles.actions}>
          <Button look="main" isDisabled={agree.isPending} onClick={() => agree.mutate()}>
            {t('account.agree')}
          </Button>
          <Button onClick={putAway}>{t('session.notNow')}</Button>
        </div>
      </Notice>
    </div>
  );
}
