import type { PredictionSummary, SpeciesProfile } from '@chiffchaff/contract';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { Link, Navigate, useLocation, useParams } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { useSpeciesPicture, useSpeciesProfile, useSpeciesSong } from '../../platform/api/species.ts';
import { readPredictions } from '../../platform/api/stored-predictions.ts';
import { storedPredictionsKey } from '../../platform/api/use-stored-predictions.ts';
import { useIsOnline } from '../../platform/browser/connection.ts';
import { formatDate } from '../../platform/format/format.ts';
import { usePlaceInWords } from '../../platform/format/place-in-words.ts';
import { languageName, languageTag, useNamesLanguage } from '../../platform/format/species-language.ts';
import { useAccountApi } from '../../platform/session/session-context.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/section.tsx';
import { FileCredits } from '../../ui/species/file-credits.tsx';
import { LearnMore, speciesAnchor, speciesPath } from '../../ui/species/species-link.tsx';
import { RangeMap } from './range-map.tsx';
import { LookAlikes, Reliability } from './reliability.tsx';
import { SeasonChart } from './season-chart.tsx';
import styles from './species.module.css';

function Names({ names }: { readonly names: SpeciesProfile['names'] }) {
  const { t, i18n } = useTranslation();
  const rows = names
    .map(({ language, name }) => ({ language, name, inWords: languageName(language, i18n.language) }))
    .sort((one, other) => one.inWords.localeCompare(other.inWords, i18n.language));
  return (
    <Section title={t('bird.names', { count: rows.length })}>
      <details>
        <summary>{t('bird.namesOpen')}</summary>
        <dl className={styles.names}>
          {rows.map(({ language, name, inWords }) => (
            <div key={language}>
              <dt className="small soft">{inWords}</dt>
              <dd lang={languageTag(language)}>
                <bdi>{name}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </Section>
  );
}

/** The model does not know the name in the address: shows the name, and what works. */
function UnknownSpecies({ name }: { readonly name: string }) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <title>{t('bird.unknownTitle')}</title>
      <h1>{t('bird.unknown')}</h1>
      <p>{t('bird.unknownText', { name })}</p>
      <p>
        <Link to={speciesPath('Turdus merula')}>{t('bird.unknownExample')}</Link> · <Link to="/">{t('notFound.home')}</Link>
      </p>
    </div>
  );
}

function Profile({ profile, askedName }: { readonly profile: SpeciesProfile; readonly askedName: string | null }) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const { scientificName, commonName, names, otherNames } = profile;
  return (
    <article className={`stack ${styles.screen}`}>
      <title>{t('bird.title', { name: commonName })}</title>
      <header className="stack-tight">
        <h1 lang={language === null ? 'en' : languageTag(language)}>{commonName}</h1>
        <p>
          <i lang="la">{scientificName}</i>
        </p>
        {askedName !== null && <p role="status">{t('bird.moved', { asked: askedName, name: scientificName })}</p>}
        {otherNames.length > 0 && (
          <p className="small soft">
            {t('bird.otherNames')} <i lang="la">{otherNames.join(', ')}</i>
          </p>
        )}
      </header>
      <SpeciesPicture profile={profile} />
      <div className={`stack ${styles.main}`}>
        <OwnRecordings profile={profile} />
        <ReferenceSong profile={profile} />
        <SeasonChart profile={profile} />
        <RangeMap profile={profile} />
      </div>
      <div className={`stack ${styles.side}`}>
        <LookAlikes profile={profile} />
        <Reliability profile={profile} />
        <Names names={names} />
        <LearnMore scientificName={scientificName} commonName={commonName} />
      </div>
    </article>
  );
}

/** `/birds/:scientificName`: the page of a bird. Its other names redirect to the one that the model uses. */
export function SpeciesScreen() {
  const { t } = useTranslation();
  const { scientificName: written = '' } = useParams();
  const { state } = useLocation();
  const name = written.replaceAll('_', ' ');
  const isOnline = useIsOnline();
  const { data, isError, refetch } = useSpeciesProfile(name);
  // Deferred, so that React renders the page in slices.
  const profile = useDeferredValue(data);
  if (profile === null) return <UnknownSpecies name={name} />;
  if (profile !== undefined) {
    const { scientificName } = profile;
    // Only another name is worth mentioning, not another spelling of the same one.
    const asked = name.toLowerCase() === scientificName.toLowerCase() ? null : name;
    if (name !== scientificName) return <Navigate to={speciesPath(scientificName)} replace state={{ askedName: asked }} />;
    return <Profile key={scientificName} profile={profile} askedName={state?.askedName ?? null} />;
  }
  return (
    <>
      <title>{t('birds.pageTitle')}</title>
      {isError ? (
        <Notice
          tone="warning"
          title={t(isOnline ? 'bird.failed' : 'bird.offline')}
          announce
          isScreen
          onRetry={() => void refetch()}
        />
      ) : (
        <p role="status" className="small soft">
          {t('screen.loading')}
        </p>
      )}
    </>
  );
}

/** A bird's picture with its author and licence, if the operator wants pictures; plain paper until it has loaded. */
function SpeciesPicture({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const { data: config } = usePublicConfig();
  const apiOrigin = config?.apiOrigin ?? '';
  const isWanted = config?.speciesPictures ?? false;
  const { data: picture } = useSpeciesPicture(scientificName, isWanted);
  if (!isWanted) return null;
  return (
    <figure className={`stack-tight ${styles.picture}`}>
      <div>
        {picture && (
          <img
            src={apiOrigin + picture.path}
            crossOrigin={apiOrigin === '' ? undefined : 'anonymous'}
            width={picture.width}
            height={picture.height}
            alt={t('bird.pictureOf', { name: commonName })}
          />
        )}
      </div>
      {picture && (
        <figcaption className="small soft">
          <FileCredits {...picture} change={t('bird.cropped')} />
        </figcaption>
      )}
    </figure>
  );
}

/** A song of a bird with its author and licence, if the operator wants some; its room is there before it has loaded. */
function ReferenceSong({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const { data: config } = usePublicConfig();
  const song = useSpeciesSong(scientificName);
  if (!config?.speciesPictures) return null;
  return (
    <Section title={t('bird.song')}>
      <div className={styles.song}>
        {/* biome-ignore lint/a11y/useMediaCaption: bird song has no words */}
        {song && <audio controls preload="none" src={song.url} aria-label={t('bird.songOf', { name: commonName })} />}
        <p className="small soft">
          {song ? <FileCredits {...song} change={t('bird.converted')} /> : song === null && t('bird.noSong')}
        </p>
      </div>
    </Section>
  );
}

/** When and where a recording was made, and its name: leads to the bird in its result, to be heard there. */
function OwnRecording({ prediction, anchor }: { readonly prediction: PredictionSummary; readonly anchor: string }) {
  const { t, i18n } = useTranslation();
  const { id, fileName, createdAt, recordedOn, place } = prediction;
  const where = usePlaceInWords(place);
  const date = formatDate(recordedOn ?? createdAt, i18n.language, { dateStyle: 'medium' });
  const when = recordedOn === null ? t('sentOn.day', { date }) : date;
  return (
    <li>
      <Link className="link" to={`/history/${encodeURIComponent(id)}#${anchor}`}>
        {where === null ? when : `${when}, ${where}`}
      </Link>{' '}
      <bdi className="small soft">{fileName ?? t('answer.noName')}</bdi>
    </li>
  );
}

const MOST_SHOWN = 5;

/** The account's latest recordings in which a bird was found, with a link to all of them. */
function OwnRecordings({ profile: { scientificName, commonName } }: { readonly profile: SpeciesProfile }) {
  const { t } = useTranslation();
  const { openHttp, localId } = useAccountApi();
  const { data } = useQuery({
    queryKey: storedPredictionsKey(localId, 'of species', scientificName),
    queryFn: async ({ signal }) => readPredictions(await openHttp(), { species: scientificName }, null, signal),
    enabled: localId !== null,
  });
  if (localId === null || data === undefined) return null;
  const { predictions } = data;
  return (
    <Section title={t('bird.own')}>
      {predictions.length === 0 && <p>{t('bird.noneOwn', { name: commonName })}</p>}
      {predictions.length > 0 && (
        <>
          <ul className="rows">
            {predictions.slice(0, MOST_SHOWN).map((prediction) => (
              <OwnRecording key={prediction.id} prediction={prediction} anchor={speciesAnchor(scientificName)} />
            ))}
          </ul>
          <p>
            <Link to={`/history?species=${encodeURIComponent(scientificName)}`}>{t('bird.allOwn', { name: commonName })}</Link>
          </p>
        </>
      )}
    </Section>
  );
}
