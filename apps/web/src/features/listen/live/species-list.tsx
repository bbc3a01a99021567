import type { BirdReview, FoundSpecies } from '@chiffchaff/contract';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type SyntheticEvent, useEffect, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../languages/i18n.ts';
import { useOwnBirds } from '../../../platform/api/own-birds.ts';
import { timeLabel } from '../../../platform/format/format.ts';
import { regionNames } from '../../../platform/format/region-names.ts';
import { languageTag, useNamesLanguage } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Meter } from '../../../ui/meter.tsx';
import { Modal } from '../../../ui/modal.tsx';
import { reviewOf } from '../../../ui/reviews/reviewed-name.tsx';
import { speciesPath } from '../../../ui/species/species-link.tsx';
import { usePaintedLevels } from '../../../ui/timeline/spectrogram/use-painted-levels.ts';
import styles from '../listen.module.css';
import type { LiveLevels } from './live-levels.ts';
import type { LiveSession } from './live-session.ts';
import { followNews, isShown, isSinging, type News, type SpeciesRow } from './species-rows.ts';

const THUMBNAIL_SECONDS = 3;

/** A picture of the best moment, of the latest one that could still be drawn. */
function Thumbnail({ levels, row }: { readonly levels: LiveLevels; readonly row: SpeciesRow }) {
  const { lastSeconds, best } = row;
  const { startSeconds, endSeconds } = best;
  const [shown, setShown] = useState<Uint8Array | null>(null);
  useEffect(() => {
    const endOf = (start: number, end: number) =>
      levels.between({ startSeconds: Math.max(start, end - THUMBNAIL_SECONDS), endSeconds: end });
    setShown((before) => endOf(startSeconds, endSeconds) ?? before ?? endOf(0, lastSeconds));
  }, [levels, startSeconds, endSeconds, lastSeconds]);
  const canvas = usePaintedLevels(shown, levels.rows);
  return <canvas ref={canvas} />;
}

interface Properties {
  readonly levels: LiveLevels;
  /** The order never changes: the bird that was first heard last is on top. */
  readonly rows: readonly SpeciesRow[];
  readonly reviews: readonly BirdReview[];
  readonly recordedSeconds: number;
  readonly onOpen: (row: SpeciesRow) => void;
}

/** One row per species, hollow until it is settled; a press opens its sheet. */
function Rows({ levels, rows, reviews, recordedSeconds, onOpen }: Properties) {
  const { t, i18n } = useTranslation();
  const language = useNamesLanguage();
  const words = useWords();
  const own = useOwnBirds();
  const isNew = ({ scientificName, confidenceWord }: SpeciesRow) => own?.has(scientificName) === false && confidenceWord !== null;
  return rows.map((row) => {
    const { scientificName, commonName, confidence, confidenceWord, lastSeconds, times, occurrence, regions } = row;
    const remarks = [
      ...(regions.length === 0 ? [] : [t('answer.livesIn', { regions: regionNames(regions, t, i18n.language) })]),
      ...(occurrence === null ? [] : [t(`answer.occurrence.${occurrence}`)]),
    ];
    return (
      <li key={scientificName} data-species={scientificName} data-singing={isSinging(row, recordedSeconds)}>
        <button type="button" className={`line ${styles.row}`} aria-haspopup="dialog" onClick={() => onOpen(row)}>
          <span className={styles.what}>
            <span className={styles.name} lang={language === null ? undefined : languageTag(language)}>
              {commonName}
            </span>
            <span className={`cluster-tight ${styles.about}`}>
              {reviewOf(reviews, scientificName) && <IconCheck role="img" aria-label={t('birdReview.confirmedByYou')} />}
              {confidenceWord === null ? (
                t('listen.checking')
              ) : (
                <>
                  <span aria-hidden="true">
                    <Meter label="" value={confidence} text="" steps={words.steps} />
                  </span>
                  {[t(`word.${confidenceWord}`), ...remarks].join(' · ')}
                </>
              )}
              {times > 1 && <span>×{times}</span>}
              <span>
                {isNew(row)
                  ? t('listen.newForList')
                  : isSinging(row, recordedSeconds)
                    ? t('listen.singing')
                    : t('listen.lastHeard', { ago: timeLabel(Math.max(0, recordedSeconds - lastSeconds)) })}
              </span>
            </span>
          </span>
          <span className={styles.moment}>
            <Thumbnail levels={levels} row={row} />
          </span>
        </button>
      </li>
    );
  });
}

/** The birds heard; those less sure than *perhaps* are folded away. */
export function SpeciesList({ rows, ...rest }: Properties) {
  const { t } = useTranslation();
  const [shown, unsure] = [rows.filter(isShown), rows.filter((row) => !isShown(row))];
  return (
    <>
      <ul className="rows unless-empty" aria-label={t('listen.heard')}>
        <Rows rows={shown} {...rest} />
      </ul>
      {unsure.length > 0 && (
        <details>
          <summary>{t('listen.perhapsAlso', { count: unsure.length })}</summary>
          <ul className="rows">
            <Rows rows={unsure} {...rest} />
          </ul>
        </details>
      )}
    </>
  );
}

/** Tells screen readers what is new of the birds: of a log, they read what is added. */
export function BirdNews({ rows }: Pick<Properties, 'rows'>) {
  const { t } = useTranslation();
  const [said, setSaid] = useState<readonly News[]>([]);
  const news = followNews(said, rows);
  if (news !== said) setSaid(news);
  return (
    <div role="log" className="visually-hidden">
      {news.map(({ scientificName, commonName: name, kind, word }) => (
        <p key={scientificName + kind}>{t(`listen.news.${kind}`, { name, word: t(`word.${word}`).toLowerCase() })}</p>
      ))}
    </div>
  );
}

/** What is shown of a bird and its best moment; it belongs to another feature. */
export type AboutBird = ComponentType<{
  readonly bird: FoundSpecies;
  /** null if no sound is stored */
  readonly moment: Blob | null;
  readonly durationSeconds: number;
}>;

interface SheetProperties {
  /** as it was when it was pressed, so that its moment stays the same */
  readonly row: SpeciesRow;
  readonly session: LiveSession;
  readonly review: BirdReview | undefined;
  readonly AboutBird: AboutBird;
  readonly onClose: () => void;
}

const choices = [
  { verdict: 'confirmed', Icon: IconCheck },
  { verdict: 'rejected', Icon: IconX },
] as const;

/** A bird of the list: whether that was it, its best moment beside its song, and its look-alikes. Listening goes on underneath. */
export function BirdSheet({ row, session, review, AboutBird, onClose }: SheetProperties) {
  const { t } = useTranslation();
  const language = useNamesLanguage();
  const { scientificName, commonName, best } = row;
  const { data: moment } = useQuery({
    queryKey: ['device', 'moment', scientificName, best],
    queryFn: () => session.moment(best),
    gcTime: 0,
    structuralSharing: false,
  });
  useEffect(() => () => session.hush(false), [session]);
  const follow = ({ currentTarget }: SyntheticEvent<HTMLElement>) =>
    session.hush([...currentTarget.querySelectorAll('audio')].some(({ paused }) => !paused));
  return (
    <Modal title={<span lang={language === null ? undefined : languageTag(language)}>{commonName}</span>} onClose={onClose}>
      <div className="stack" onPlayCapture={follow} onPauseCapture={follow}>
        <div className="cluster-tight">
          {choices.map(({ verdict, Icon }) => (
            <Button
              key={verdict}
              icon={Icon}
              aria-pressed={review?.verdict === verdict}
              onClick={() => session.review(row, verdict)}
            >
              {t(`birdReview.${verdict}`)}
            </Button>
          ))}
        </div>
        {moment !== undefined && <AboutBird bird={row} moment={moment} durationSeconds={best.endSeconds - best.startSeconds} />}
        <Link to={speciesPath(scientificName)} target="_blank">
          {t('listen.more')}
        </Link>
      </div>
    </Modal>
  );
}
