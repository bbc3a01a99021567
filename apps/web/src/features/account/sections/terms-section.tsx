import { termsAnswerSchema } from '@chiffchaff/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { toApiError } from '../../../platform/api/api-error.ts';
import { errorSentence } from '../../../platform/api/error-sentence.ts';
import { useOpenHttp } from '../../../platform/api/open-http.ts';
import { dateLocale } from '../../../platform/format/format.ts';
import { useAuthSnapshot } from '../../../platform/session/session-context.tsx';
import { termsVersion } from '../../../platform/session/terms-version.ts';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../account.module.css';
import { useRefreshAccount } from '../use-profile.ts';
import { Section } from './section.tsx';

const path = '/v1/account/terms';

/** Which terms were agreed to and when; where the present ones were not, that can be made up for. */
export function TermsSection() {
  const { t, i18n } = useTranslation();
  const openHttp = useOpenHttp();
  const refresh = useRefreshAccount();
  const { localId } = useAuthSnapshot().state;
  const { data: accepted, error } = useQuery({
    queryKey: ['account', localId, 'terms'],
    queryFn: async ({ signal }) =>
      termsAnswerSchema.parse((await (await openHttp()).get<unknown>(path, { signal })).data).accepted,
    retry: false,
  });
  const agree = useMutation({
    mutationFn: async () => (await openHttp()).post(path, { version: termsVersion }),
    onSettled: refresh,
  });
  const failure = error ?? agree.error;
  const present = accepted?.find(({ version }) => version === termsVersion);
  const date = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'long' });
  return (
    <Section title={t('landing.terms')}>
      {failure && <Notice tone="warning" title={errorSentence(toApiError(failure), t, i18n.language)} announce />}
      {present && (
        <p>
          {t('account.agreed', { date: date.format(new Date(present.acceptedAt)) })}{' '}
          <Link to="/toc">{t('account.readTerms')}</Link>
        </p>
      )}
      {accepted && !present && (
        <>
          <p>
            {t('account.notAgreed')} <Link to="/toc">{t('account.readTerms')}</Link>
          </p>
          <div className={styles.actions}>
            <button type="button" className="button" onClick={() => agree.mutate()}>
              {t('account.agree')}
            </button>
          </div>
        </>
      )}
    </Section>
  );
}
