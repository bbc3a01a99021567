import { MOST_SPECIES_FOUND } from '@chiffchaff/contract';
import { weekOf } from '@chiffchaff/recognizer';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ComponentType, useCallback, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { findSpecies, heardAround } from '../../platform/api/bird-reviews.ts';
import type { SeasonPlace } from '../../platform/api/species.ts';
import { localTime } from '../../platform/format/format.ts';
import { useNamesLanguage } from '../../platform/format/species-language.ts';
import type { RequestedConditions } from '../../platform/sending/requested-conditions.ts';
import { useAuthSnapshot, useOpenHttp } from '../../platform/session/session-context.tsx';
import { SearchField } from '../../ui/form/search-field.tsx';
import { Failure } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { Around, BirdLink } from './around.tsx';
import styles from './birds.module.css';

interface Properties {
  /** Belongs to another feature. */
  readonly PlaceSetting: ComponentType<{ readonly onChange: (asked: RequestedConditions) => void }>;
}

/** `/birds`: finds birds by name, and lists those around a place in a week. Open to everyone. */
export function BirdsScreen({ PlaceSetting }: Properties) {
  const { t } = useTranslation();
  const [parameters, setParameters] = useSearchParams();
  // The search is in the address, so that going back from a bird finds it.
  const search = parameters.get('q') ?? '';
  const onSearch = useCallback(
    (text: string) => setParameters(text === '' ? {} : { q: text }, { replace: true }),
    [setParameters],
  );
  const [asked, setAsked] = useState<RequestedConditions | null>(null);
  const where = asked && (asked.place ?? (asked.timeZone === null ? null : { timeZone: asked.timeZone }));
  const present = weekOfDay(localTime(new Date()));
  const week = asked?.date ? weekOfDay(asked.date) : present;
  const isSignedIn = useAuthSnapshot().state.token !== null;
  return (
    <div className={`stack gap-large ${styles.screen}`}>
      <title>{t('birds.pageTitle')}</title>
      <header className="cluster">
        <h1>{t('layout.birds')}</h1>
        {isSignedIn && <Link to="/life-list">{t('layout.lifeList')}</Link>}
      </header>
      <SearchField
        label={t('species.search')}
        placeholder={t('birds.example')}
        value={search}
        className={styles.search}
        onSearch={onSearch}
      />
      {search !== '' && <Found search={search} where={where} />}
      <Section
        title={t(week === present ? 'birds.around' : 'birds.aroundThen')}
        className={`stack ${styles.around}`}
        hidden={search !== ''}
      >
        <div className={`finger ${styles.place}`}>
          <PlaceSetting onChange={setAsked} />
        </div>
        {asked !== null && <Around where={where} week={week} />}
      </Section>
    </div>
  );
}

const weekOfDay = (date: string): number => weekOf(Number(date.slice(5, 7)), Number(date.slice(8, 10)));

/** Birds whose names have the searched words, those of the place first. */
function Found({ search, where }: { readonly search: string; readonly where: SeasonPlace | null }) {
  const { t } = useTranslation();
  const openHttp = useOpenHttp();
  const language = useNamesLanguage();
  const heardAt = heardAround(where);
  const { data, isError, refetch } = useQuery({
    queryKey: ['species search', search, language, heardAt],
    queryFn: async ({ signal }) => findSpecies(await openHttp(), search, language, heardAt, signal),
    placeholderData: keepPreviousData,
    retry: 0,
  });
  return (
    <>
      <Failure sentence={isError ? t('birdReview.searchFailed') : null} onRetry={() => void refetch()} />
      <p role="status" className="small soft">
        {!data && !isError && t('screen.loading')}
        {data &&
          (data.length === 0
            ? t('birdReview.noneFound')
            : t(data.length < MOST_SPECIES_FOUND ? 'species.found' : 'species.firstFound', { count: data.length }))}
      </p>
      <ul className={`plain ${styles.rows}`}>
        {data?.map(({ scientificName, commonName }) => (
          <li key={scientificName} className={styles.row}>
            <span className={styles.name}>
              <BirdLink bird={{ scientificName, commonName }} />
              <i lang="la" className="small soft">
                {scientificName}
              </i>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
