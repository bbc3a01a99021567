import { sessionsAnswerSchema } from '@chiffchaff/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { dateLocale } from '../../../platform/format/format.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { describeAgent } from '../describe-agent.ts';
import { useRefreshAccount } from '../use-profile.ts';
import { Section } from './section.tsx';

const path = '/v1/account/sessions';

/** Where the account is signed in, and how to end that. */
export function SessionsSection() {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const navigate = useNavigate();
  const refresh = useRefreshAccount();
  const { localId } = useAuthSnapshot().state;
  const { data: sessions = [], error } = useQuery({
    queryKey: ['account', localId, 'sessions'],
    queryFn: async ({ signal }) =>
      sessionsAnswerSchema.parse((await (await openHttp()).get<unknown>(path, { signal })).data).sessions,
    retry: false,
  });
  const endOne = useMutation({
    mutationFn: async (id: string) => (await openHttp()).delete(`${path}/${encodeURIComponent(id)}`),
    onSettled: refresh,
  });
  const endAll = useMutation({
    mutationFn: async () => (await openHttp()).delete(path),
    onSuccess: () => navigate('/login', { state: { signOut: 'everywhere' } }),
  });
  const failure = error ?? endOne.error ?? endAll.error;
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <Section title={t('account.sessions')}>
      {failure && <Notice tone="warning" title={errorSentence(toApiError(failure), t, i18n.language)} announce />}
      <ul className={styles.sessions}>
        {sessions.map(({ id, userAgent, lastUsedAt, current }) => {
          const agent = describeAgent(userAgent) ?? t('account.unknownAgent');
          return (
            <li key={id} className={styles.session}>
              <span>
                <span className={styles.agent}>{agent}</span>
                <br />
                <span className={styles.soft}>
                  {current ? t('account.thisSession') : t('account.lastUsed', { time: time.format(new Date(lastUsedAt)) })}
                </span>
              </span>
              {!current && (
                <button
                  type="button"
                  className="text-button"
                  aria-label={t('account.endSessionOf', { agent })}
                  onClick={() => endOne.mutate(id)}
                >
                  {t('account.endSession')}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      <div className={styles.actions}>
        <button type="button" className="button button-quiet" onClick={() => endAll.mutate()}>
          {t('account.endAll')}
        </button>
      </div>
    </Section>
  );
}
