import { type ConfidenceWord, isLikely, SHARED_ROWS, type SharedBird, type SharedPrediction } from '@chiffchaff/contract';
import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Link, useParams } from 'react-router';
import { type Translate, useTranslation } from '../../languages/i18n.ts';
import { isProblem, toApiError } from '../../platform/api/api-error.ts';
import { errorSentence } from '../../platform/api/error-sentence.ts';
import { readShared, readSharedLevels, sharedSoundUrl } from '../../platform/api/links.ts';
import { usePublicConfig } from '../../platform/api/public-config.ts';
import { regionName, regionNames } from '../../platform/format/region-names.ts';
import { languageTag, useNamesLanguage } from '../../platform/format/species-language.ts';
import { Button } from '../../ui/button.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Notice } from '../../ui/notice.tsx';
import { usePaintedLevels } from '../../ui/timeline/spectrogram/use-painted-levels.ts';
import styles from './shared.module.css';

/** Shares of the squares that a word fills; the fifth is filled if the bird is nearly certain. */
const SQUARES: Readonly<Record<ConfidenceWord, number>> = { none: 0, notSure: 0.2, perhaps: 0.4, likely: 0.6, veryLikely: 0.8 };

function monthName({ month }: SharedPrediction, language: string): string | null {
  if (month === null) return null;
  const shape = { month: 'long', timeZone: 'UTC', ...(month.year !== null && ({ year: 'numeric' } as const)) } as const;
  return new Intl.DateTimeFormat(language, shape).format(Date.UTC(month.year ?? 2000, month.month - 1, 15));
}

/** Says "perhaps" unless a bird is likely or confirmed. */
function titleOf(birds: readonly SharedBird[], t: Translate): string {
  const isSure = birds.some(
    ({ confirmed, confidenceWord }) => confirmed || (confidenceWord !== null && isLikely(confidenceWord)),
  );
  const count = birds.length;
  if (count === 0) return t('shared.noBird');
  return isSure ? t('shared.heard', { count }) : t('shared.perhaps', { count });
}

/** `May 2026 · Germany`, as far as the link states them. */
function whenAndWhere(shared: SharedPrediction, t: Translate, language: string): string {
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
    <div className={`measure ${styles.screen}`}>
      <title>{t('shared.pageTitle')}</title>
      <meta name="robots" content="noindex, nofollow" />
      <meta name="referrer" content="no-referrer" />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data !== undefined && (
        <article className={`stack gap-large card ${styles.card}`}>
          <header className="stack-tight">
            <p className="soft unless-empty">{t('shared.about')}</p>
            <h1>{titleOf(data.birds, t)}</h1>
            <p className="soft unless-empty">{whenAndWhere(data, t, i18n.language)}</p>
          </header>
          <ul className="plain">
            {data.birds.map((bird) => (
              <Bird
                key={bird.scientificName}
                bird={bird}
                address={[config?.apiOrigin ?? '', token, bird.scientificName]}
                namesLanguage={languageTag(data.language)}
              />
            ))}
          </ul>
          <Link to="/" className="button">
            {t('shared.identifyOwn')}
          </Link>
          <footer className="stack-tight soft small">
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
        <Link to="/" className="link">
          {t('notFound.home')}
        </Link>
      </Notice>
    );
  }
  return <Notice tone="warning" title={errorSentence(failure, t, i18n.language)} isScreen announce onRetry={onRetry} />;
}

type Address = readonly [apiOrigin: string, token: string, scientificName: string];

interface BirdProperties {
  readonly bird: SharedBird;
  readonly address: Address;
  readonly namesLanguage: string;
}

function Bird({ bird, address, namesLanguage }: BirdProperties) {
  const { t, i18n } = useTranslation();
  const { scientificName, commonName, confidenceWord, nearlyCertain, confirmed, regions, clip } = bird;
  const word = confirmed ? t('shared.confirmed') : confidenceWord && t(`word.${confidenceWord}`);
  return (
    <li className={styles.bird}>
      <div className={styles.names}>
        <h2 lang={namesLanguage}>{commonName}</h2>
        <p className="scientific" lang="la">
          {scientificName}
        </p>
      </div>
      <div className={`cluster-tight ${styles.certainty}`}>
        {confidenceWord && (
          <Meter
            label={t('answer.certainty', { name: commonName })}
            value={nearlyCertain ? 1 : SQUARES[confidenceWord]}
            text={t(`word.${confidenceWord}`)}
            steps={[0.2, 0.4, 0.6, 0.8, 1]}
          />
        )}
        {word}
      </div>
      {regions.length > 0 && (
        <p className="soft unless-empty">{t('shared.livesIn', { regions: regionNames(regions, t, i18n.language) })}</p>
      )}
      {/* A few seconds of it: their spectrogram and, where the link has sound, a play button. */}
      {clip && (
        <div className="cluster">
          <Picture address={address} />
          {clip.sound && <Player url={sharedSoundUrl(...address)} name={commonName} />}
        </div>
      )}
    </li>
  );
}

function Player({ url, name }: { readonly url: string; readonly name: string }) {
  const { t } = useTranslation();
  const audio = useRef<HTMLAudioElement>(null);
  const [state, setState] = useState<'silent' | 'playing' | 'failed'>('silent');
  const play = () => {
    const { current } = audio;
    if (current === null) return;
    if (state === 'playing') current.pause();
    else {
      current.currentTime = 0;
      current.play().catch(() => setState('failed'));
    }
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useMediaCaption: birds */}
      <audio ref={audio} preload="none" src={url} onPlaying={() => setState('playing')} onPause={() => setState('silent')} />
      <Button aria-label={t(state === 'playing' ? 'shared.stopOf' : 'shared.playOf', { name })} onClick={play}>
        {state === 'playing' ? <IconPlayerStopFilled aria-hidden="true" /> : <IconPlayerPlayFilled aria-hidden="true" />}
        {t(state === 'playing' ? 'shared.stop' : 'timeline.play')}
      </Button>
      <span role="status" className="soft unless-empty">
        {state === 'failed' ? t('shared.cannotPlay') : ''}
      </span>
    </>
  );
}

/** Decorative: the words beside it say what was heard. */
function Picture({ address }: { readonly address: Address }) {
  const { data: levels } = useQuery({
    queryKey: ['shared', 'picture', ...address],
    queryFn: ({ signal }) => readSharedLevels(...address, signal),
    retry: 1,
    gcTime: 0,
  });
  const canvas = usePaintedLevels(levels, SHARED_ROWS);
  return (
    <span className={styles.picture} aria-hidden="true">
      <canvas ref={canvas} />
    </span>
  );
}
