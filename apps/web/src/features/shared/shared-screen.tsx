import { isLikely, type SharedBird, type SharedPrediction } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { isProblem, toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { readShared } from '../../platform/api/links.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useNamesLanguage } from '../../platform/format/names-language.ts';
import { regionName, regionNames } from '../../platform/format/region-names.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { Notice } from '../../ui/notice.tsx';
import { Clip } from './clip.tsx';
import styles from './shared.module.css';

function monthName({ month }: SharedPrediction, language: string): string | null {
  if (month === null) return null;
  const shape = { month: 'long', timeZone: 'UTC', ...(month.year !== null && ({ year: 'numeric' } as const)) } as const;
  return new Intl.DateTimeFormat(language, shape).format(Date.UTC(month.year ?? 2000, month.month - 1, 15));
}

/** Says "perhaps" unless a bird is likely or confirmed. */
function titleOf(birds: readonly SharedBird[], t: TFunction): string {
  const isSure = birds.some(
    ({ confirmed, confidenceWord }) => confirmed || (confidenceWord !== null && isLikely(confidenceWord)),
  );
  const count = birds.length;
  if (count === 0) return t('shared.noBird');
  return isSure ? t('shared.heard', { count }) : t('shared.perhaps', { count });
}

/** `May 2026 · Germany`, as far as the link states them. */
function whenAndWhere(shared: SharedPrediction, t: TFunction, language: string): string {
  const where = shared.region === null ? null : regionName(shared.region, t, language);
  return [monthName(shared, language), where].filter((part) => part !== null).join(' · ');
}

/** `/shared/:token`: a result that its owner shows to everyone who has the link. */
export function SharedScreen() {
  const { t, i18n } = useTranslation();
  const { token = '' } = useParams();
  const { data: config } = usePublicConfig();
  const language = useNamesLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: ['shared', token, language],
    queryFn: ({ signal }) => readShared(config?.apiOrigin ?? '', token, language, signal),
    enabled: config !== undefined,
    retry: false,
    gcTime: 0,
  });
  return (
    <div className={styles.screen}>
      <title>{t('shared.pageTitle')}</title>
      <meta name="robots" content="noindex, nofollow" />
      <meta name="referrer" content="no-referrer" />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data !== undefined && (
        <article className={styles.card}>
          <header className={styles.head}>
            <p className={styles.soft}>{t('shared.about')}</p>
            <h1>{titleOf(data.birds, t)}</h1>
            <p className={styles.soft}>{whenAndWhere(data, t, i18n.language)}</p>
          </header>
          <ul className={styles.birds}>
            {data.birds.map((bird) => (
              <Bird
                key={bird.scientificName}
                bird={bird}
                token={token}
                apiOrigin={config?.apiOrigin ?? ''}
                namesLanguage={languageTag(data.language)}
              />
            ))}
          </ul>
          <footer className={styles.foot}>
            <p>{t('shared.explanation')}</p>
            <p>
              {data.model.attribution} · {data.model.licence}
            </p>
          </footer>
        </article>
      )}
    </div>
  );
}

function Failure({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { t, i18n } = useTranslation();
  const failure = toApiError(error);
  if (isProblem(failure, 'NOT_FOUND')) {
    return (
      <Notice tone="information" title={t('shared.over')} isScreen>
        <p>{t('shared.overHelp')}</p>
      </Notice>
    );
  }
  return <Notice tone="warning" title={errorSentence(failure, t, i18n.language)} isScreen announce onRetry={onRetry} />;
}

interface BirdProperties {
  readonly bird: SharedBird;
  readonly token: string;
  readonly apiOrigin: string;
  readonly namesLanguage: string;
}

function Bird({ bird, token, apiOrigin, namesLanguage }: BirdProperties) {
  const { t, i18n } = useTranslation();
  const { scientificName, commonName, confidenceWord, confirmed, regions, clip } = bird;
  const word = confirmed ? t('shared.confirmed') : confidenceWord && t(`word.${confidenceWord}`);
  return (
    <li className={styles.bird}>
      <div className={styles.names}>
        <h2 lang={namesLanguage}>{commonName}</h2>
        <p className="scientific" lang="la">
          {scientificName}
        </p>
      </div>
      <p className={styles.word}>{word}</p>
      {regions.length > 0 && (
        <p className={styles.soft}>{t('shared.livesIn', { regions: regionNames(regions, t, i18n.language) })}</p>
      )}
      {clip && <Clip apiOrigin={apiOrigin} token={token} scientificName={scientificName} name={commonName} />}
    </li>
  );
}
