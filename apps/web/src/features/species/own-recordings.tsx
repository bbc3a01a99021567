import type { SpeciesProfile } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { readPredictions } from '../../platform/api/stored-predictions.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { dateLocale } from '../../platform/format/format.ts';
import { useAccountApi } from '../../platform/session/session-context.tsx';
import styles from './species.module.css';

const MOST_SHOWN = 5;

/** The account's latest recordings in which a bird was found, with a link to all of them. */
export function OwnRecordings({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t, i18n } = useTranslation();
  const titleId = useId();
  const { openHttp, localId } = useAccountApi();
  const wanted = { search: '', species: scientificName, days: null, near: null, isConfirmed: false, language: null };
  const { data } = useQuery({
    queryKey: storedPredictionsKey(localId, 'of species', scientificName),
    queryFn: async ({ signal }) => readPredictions(await openHttp(), wanted, null, signal),
    enabled: localId !== null,
  });
  if (localId === null || data === undefined) return null;
  const { predictions } = data;
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium' });
  return (
    <section aria-labelledby={titleId} className={styles.part}>
      <h2 id={titleId}>{t('bird.own')}</h2>
      {predictions.length === 0 && <p>{t('bird.noneOwn', { name: commonName })}</p>}
      {predictions.length > 0 && (
        <>
          <ul>
            {predictions.slice(0, MOST_SHOWN).map(({ id, fileName, createdAt }) => (
              <li key={id}>
                <Link to={`/history/${encodeURIComponent(id)}`}>
                  <bdi>{fileName ?? t('answer.noName')}</bdi>
                </Link>{' '}
                <time dateTime={createdAt} className={styles.soft}>
                  {t('sentOn.row', { date: day.format(new Date(createdAt)) })}
                </time>
              </li>
            ))}
          </ul>
          <p>
            <Link to={`/history?species=${encodeURIComponent(scientificName)}`}>{t('bird.allOwn', { name: commonName })}</Link>
          </p>
        </>
      )}
    </section>
  );
}
