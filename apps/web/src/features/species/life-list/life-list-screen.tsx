import { confirmedBirdsSchema, type LifeList, lifeListSchema, type Sighting } from '@chiffchaff/contract';
import { IconDownload } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { ask } from '../../../platform/api/ask.ts';
import { useCall } from '../../../platform/api/use-call.ts';
import { useRecord } from '../../../platform/api/use-record.ts';
import { formatDate } from '../../../platform/format/format.ts';
import { usePlaceInWords } from '../../../platform/format/place-in-words.ts';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/notice.tsx';
import { speciesPath } from '../../../ui/species/species-link.tsx';
import { FirstPlaces } from './first-places.tsx';
import { ImportEbird } from './import-ebird.tsx';
import styles from './life-list.module.css';

/** A bird with the sighting that counts: the first of all, or of this year. */
type Bird = LifeList['species'][number] & { readonly at: Sighting };

/** `/life-list`: the birds that the account has found, those still to confirm, and where. */
export function LifeListScreen() {
  const { t, i18n } = useTranslation();
  const language = useNamesLanguage();
  const year = new Date().getFullYear();
  const params = { year: String(year), ...(language && { language }) };
  const { data, failure, refetch } = useRecord('predictions', '/v1/life-list', lifeListSchema, params);
  const [parameters, setParameters] = useSearchParams();
  const isThisYear = parameters.get('of') === 'year';
  const isByDate = parameters.get('sort') === 'date';
  const set = (name: string, value: string) =>
    setParameters((present) => new URLSearchParams([...[...present].filter(([other]) => other !== name), [name, value]]), {
      replace: true,
    });
  const birds = (data?.species ?? [])
    .flatMap((bird): Bird[] => {
      const at = isThisYear ? bird.firstThisYear : bird.first;
      return at === null ? [] : [{ ...bird, at }];
    })
    .sort((one, other) =>
      isByDate ? other.at.on.localeCompare(one.at.on) : one.commonName.localeCompare(other.commonName, i18n.language),
    );
  const confirmed = birds.filter(({ at }) => at.confirmed);
  const open = birds.filter(({ at }) => !at.confirmed);
  const places = new Map(
    confirmed.flatMap(({ at: { place } }) => (place ? [[`${place.latitude} ${place.longitude}`, place]] : [])),
  );
  const count = t('lifeList.species', { count: confirmed.length });
  return (
    <div className="stack gap-large">
      <title>{t('lifeList.pageTitle')}</title>
      <h1>
        {data === undefined
          ? t('layout.lifeList')
          : open.length > 0
            ? t('lifeList.andOpen', { species: count, count: open.length })
            : count}
      </h1>
      <Failure sentence={failure} onRetry={() => void refetch()} />
      {data?.species.length === 0 && <p className="measure">{t('lifeList.empty')}</p>}
      {data !== undefined && data.species.length > 0 && (
        <>
          <div className="cluster">
            <label className="cluster">
              {t('lifeList.of')}
              <select value={isThisYear ? 'year' : 'all'} onChange={({ target }) => set('of', target.value)}>
                <option value="all">{t('lifeList.all')}</option>
                <option value="year">{year}</option>
              </select>
            </label>
            <label className="cluster">
              {t('species.order')}
              <select value={isByDate ? 'date' : 'name'} onChange={({ target }) => set('sort', target.value)}>
                <option value="name">{t('lifeList.byName')}</option>
                <option value="date">{t('lifeList.byDate')}</option>
              </select>
            </label>
          </div>
          {places.size > 0 && <FirstPlaces places={[...places.values()]} />}
          <Rows label={t('lifeList.confirmed')} birds={confirmed} />
          {open.length > 0 && (
            <section className="stack">
              <h2>{t('lifeList.open', { count: open.length })}</h2>
              <p className="measure">{t('lifeList.openHelp')}</p>
              <Rows label={t('lifeList.open', { count: open.length })} birds={open} />
            </section>
          )}
          <Exports species={data.species} />
        </>
      )}
      {data !== undefined && <ImportEbird imported={data.imported} year={year} />}
    </div>
  );
}

const Rows = ({ label, birds }: { readonly label: string; readonly birds: readonly Bird[] }) => (
  <ul className="rows" aria-label={label}>
    {birds.map((bird) => (
      <Row key={bird.scientificName} bird={bird} />
    ))}
  </ul>
);

function Row({ bird: { scientificName, commonName, at } }: { readonly bird: Bird }) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const language = useNamesLanguage();
  const place = usePlaceInWords(at.place);
  const date = formatDate(at.sentAt ?? at.on, i18n.language, { dateStyle: 'medium' });
  const when = at.sentAt === null ? date : t('sentOn.first', { date });
  const facts = [
    ...(at.confirmed ? [] : [t(`word.${words.wordOf(at.confidence)}`)]),
    when,
    ...(place === null ? [] : [place]),
    ...(at.predictionId === null ? ['eBird'] : []),
  ];
  return (
    <li>
      <Link to={speciesPath(scientificName)} className={styles.row}>
        <span>
          <strong lang={language === null ? undefined : languageTag(language)}>{commonName}</strong>{' '}
          <i lang="la" className="soft small">
            {scientificName}
          </i>
        </span>
        <span className="soft small">{facts.join(' · ')}</span>
      </Link>
    </li>
  );
}

/** As a table; and, once something is confirmed, every confirmed bird of every recording for eBird. */
function Exports({ species }: Pick<LifeList, 'species'>) {
  const { t } = useTranslation();
  const forEbird = useCall(async (http) => {
    const { birds, leftOut } = await ask(http, confirmedBirdsSchema, { url: '/v1/life-list/confirmed' });
    if (birds.length > 0) (await import('./export-life-list.ts')).saveEbird(birds);
    return { count: birds.length, leftOut };
  });
  const { data } = forEbird;
  return (
    <>
      <div className="cluster">
        <Button icon={IconDownload} onClick={async () => (await import('./export-life-list.ts')).saveCsv(species)}>
          {t('lifeList.csv')}
        </Button>
        {species.some(({ confirmedPredictions }) => confirmedPredictions > 0) && (
          <Button icon={IconDownload} isDisabled={forEbird.isPending} onClick={() => forEbird.mutate()}>
            {t('lifeList.ebird')}
          </Button>
        )}
      </div>
      <Failure sentence={forEbird.failure} />
      <p role="status" className="measure">
        {data && t('lifeList.forEbird', { count: data.count })}{' '}
        {data !== undefined && data.leftOut > 0 && t('lifeList.notForEbird', { count: data.leftOut })}
      </p>
    </>
  );
}
