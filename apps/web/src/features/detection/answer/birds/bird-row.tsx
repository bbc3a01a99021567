import { isRefused, occurrenceRemark, type Prediction, reviewedAs } from '@chiffchaff/contract';
import { IconChevronDown } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { useLocation } from 'react-router';
import { type Translate, useTranslation } from '../../../../languages/i18n.ts';
import { dateLocale, localTime, timeLabel } from '../../../../platform/format/format.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Meter } from '../../../../ui/meter.tsx';
import { ReviewedName, reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';
import { speciesAnchor } from '../../../../ui/species/species-link.tsx';
import { useHeardBefore } from '../../served-sound.ts';
import { ReviewButtons } from '../reviews/review-buttons.tsx';
import { BirdDetails } from './bird-details.tsx';
import styles from './birds.module.css';
import { aroundBest, BestStrip, CompareWithOther, withMargin } from './compare-with-other.tsx';
import { ACTIVITY_COLUMNS, activityOf, type ListedBird, livesIn } from './listed-birds.ts';
import { PlayButton } from './play-button.tsx';

/** `alone`: the headline names it, and its picture is large · `named`: it has a word · `lessLikely`: it is shown on request. */
export type Prominence = 'alone' | 'named' | 'lessLikely';

interface Properties {
  readonly bird: ListedBird;
  readonly prediction: Prediction;
  /** An account has the prediction: only then can birds be corrected. */
  readonly isKept: boolean;
  readonly prominence: Prominence;
  /** Shows when it was heard during the recording. */
  readonly withActivity?: boolean;
  /** One of many: only a line until it is opened. */
  readonly isLine?: boolean;
}

/** One bird of a result: its best moment to play, its name, how sure, and how often it was heard. It opens to reasons and detections. */
export function BirdRow({ bird, prediction, isKept, prominence, withActivity = false, isLine = false }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const anchor = speciesAnchor(bird.scientificName);
  const { hash } = useLocation();
  const [isOpen, setIsOpen] = useState(hash === `#${anchor}`);
  const detailsId = useId();
  const { conditions, reviews = [], recording } = prediction;
  const { commonName, scientificName, candidate, best, detections, firstSeconds, isHidden } = bird;
  const isAlone = prominence === 'alone';
  const review = reviewOf(reviews, scientificName);
  const isRefusedHere = review !== undefined && isRefused(review);
  /** Its name is not the one beside this: the model's own is said. A rejected bird of the headline is struck through there. */
  const isNamedAgain = isRefusedHere && !(isAlone && review.to === null);
  const strip = aroundBest(best, recording.durationSeconds);
  const regions = isAlone || candidate === null ? null : livesIn(candidate, t, i18n.language);
  const occurrence = candidate && occurrenceRemark(candidate);
  const certainty = (): string => {
    if (candidate === null) return t(isHidden ? 'table.hidden' : 'species.lessCertain');
    const { confidence, confidenceWord, assumed } = candidate;
    const inWords = { word: t(`word.${confidenceWord}`), percent: words.percentOf(confidence) };
    if (isHidden) return t(assumed ? 'answer.meterElsewhere' : 'answer.meterWithoutPlace', inWords);
    return isOpen ? t('birdRow.certainty', inWords) : inWords.word;
  };
  const count = detections.length;
  const at = timeLabel(firstSeconds);
  const clearest = timeLabel(best.startSeconds);
  const number = new Intl.NumberFormat(i18n.language).format(count);
  const [{ startSeconds, endSeconds } = best] = detections;
  const seconds = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 }).format(endSeconds - startSeconds);
  const facts = [
    count === 0 ? t('birdRow.first', { at }) : t('birdRow.heard', { count, number, at, seconds }),
    ...(clearest === at ? [] : [t('birdRow.clearest', { at: clearest })]),
    ...(reviews.some(({ to }) => to === scientificName) || (!isKept && review?.verdict === 'confirmed')
      ? [t('birdReview.confirmedByYou')]
      : []),
    ...(occurrence === null ? [] : [t(`answer.occurrence.${occurrence}`)]),
  ];
  return (
    <li id={anchor} tabIndex={-1} className={styles.bird} data-prominence={prominence} data-line={isLine} data-open={isOpen}>
      <div className={styles.look}>
        <PlayButton
          name={commonName}
          passage={withMargin(best, recording.durationSeconds)}
          bestSeconds={best.startSeconds}
          isLarge={isAlone}
        />
        {isAlone && <BestStrip passage={strip} />}
      </div>
      <div className={`cluster-tight ${styles.names}`}>
        {!isAlone && (
          <h2 className={styles.name}>
            <ReviewedName name={commonName} language={languageTag(conditions.language)} review={review} />
          </h2>
        )}
        <i lang="la" className={`soft small ${styles.scientific}`}>
          {review?.to ?? scientificName}
        </i>
      </div>
      <div className={`cluster-tight ${styles.certainty}`}>
        {candidate && !isRefusedHere && (
          <Meter
            label={t('answer.certainty', { name: commonName })}
            value={candidate.confidence}
            text={words.describe(candidate)}
            steps={words.steps}
          />
        )}
        {isNamedAgain ? (
          <span className="soft">{t('birdRow.ofModel', { name: commonName, certainty: certainty() })}</span>
        ) : (
          <span className={isRefusedHere ? 'soft' : undefined}>{certainty()}</span>
        )}
        {isKept && review && (
          <span className="printed">
            {t(`birdReview.said.${review.verdict}`, { name: review.toCommonName ?? review.to ?? '' })}
          </span>
        )}
      </div>
      <div className={`soft small ${styles.facts}`}>
        <p>
          {facts.join(' · ')}
          {isKept && <HeardBefore prediction={prediction} scientificName={scientificName} />}
        </p>
        {regions !== null && <p>{t(review?.to ? 'answer.livesInOf' : 'answer.livesIn', { name: commonName, regions })}</p>}
      </div>
      {!isAlone && !withActivity && !isLine && (
        <div className={styles.small}>
          <BestStrip passage={strip} />
        </div>
      )}
      {withActivity && <ActivityStrip bird={bird} prediction={prediction} />}
      {isKept && (
        <div className={styles.reviews}>
          <ReviewButtons prediction={prediction} bird={bird} isBrief={isLine && !isOpen} />
        </div>
      )}
      <button
        type="button"
        className={styles.open}
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className={`visually-hidden ${styles.openWords}`}>{t('why.title')}</span>
        <span className="visually-hidden"> ({commonName})</span>
        <IconChevronDown aria-hidden="true" />
      </button>
      <div id={detailsId} className={`stack-tight ${styles.details}`} hidden={!isOpen}>
        {isOpen && (
          <>
            <CompareWithOther {...{ bird, prediction, isKept }} passage={strip}>
              {(withActivity || isLine) && <BestStrip passage={strip} />}
            </CompareWithOther>
            <BirdDetails bird={bird} prediction={prediction} />
          </>
        )}
      </div>
    </li>
  );
}

/** When a bird was heard during a long recording: the darker a column, the more detections. */
function ActivityStrip({ bird: { commonName, detections }, prediction }: Pick<Properties, 'bird' | 'prediction'>) {
  const { t } = useTranslation();
  const { durationSeconds } = prediction.recording;
  const columns = activityOf(detections, durationSeconds);
  const most = Math.max(...columns);
  if (most === 0) return null;
  const busiest = columns.indexOf(most);
  const columnSeconds = durationSeconds / ACTIVITY_COLUMNS;
  const withHours = durationSeconds >= 3600;
  const label = t('species.strip', {
    name: commonName,
    heard: columns.filter((count) => count > 0).length,
    of: ACTIVITY_COLUMNS,
    from: timeLabel(busiest * columnSeconds, 0, withHours),
    to: timeLabel((busiest + 1) * columnSeconds, 0, withHours),
  });
  return (
    <div className={styles.activity}>
      <svg viewBox={`0 0 ${ACTIVITY_COLUMNS} 1`} preserveAspectRatio="none" role="img">
        <title>{label}</title>
        {columns.map(
          (count, column) =>
            // biome-ignore lint/suspicious/noArrayIndexKey: columns are told by their place
            count > 0 && <rect key={column} x={column} width={1} height={1} opacity={0.4 + (0.6 * count) / most} />,
        )}
      </svg>
      <p aria-hidden="true" className="soft small">
        <span>{timeLabel(0, 0, withHours)}</span>
        <span>{timeLabel(durationSeconds, 0, withHours)}</span>
      </p>
    </div>
  );
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 60;
const DAYS_PER_MONTH = 30.4;

/** `12 days ago` for a recording of today; otherwise `on 8 May 2026`. */
function lastInWords(lastHeardOn: string, day: string, today: string, t: Translate, locale: string): string {
  const last = new Date(lastHeardOn);
  if (day !== today)
    return t('heardBefore.on', { date: new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(last) });
  const days = Math.round((Date.parse(day) - last.getTime()) / DAY_MS);
  const ago = new Intl.RelativeTimeFormat(locale);
  return days > MOST_DAYS ? ago.format(-Math.round(days / DAYS_PER_MONTH), 'month') : ago.format(-days, 'day');
}

/** How often the account has heard a bird in the year of the recording, in a line; null if it does not count. */
function useLine(prediction: Prediction, scientificName: string): string | null {
  const { t, i18n } = useTranslation();
  const { timesThisYear: count = 0, lastHeardOn } = useHeardBefore(prediction.id, scientificName) ?? {};
  if (count === 0) return null;
  // As in the history.
  const day = prediction.conditions.date ?? prediction.createdAt.slice(0, 10);
  const year = day.slice(0, 4);
  const now = new Date();
  const today = (prediction.conditions.date ? localTime(now) : now.toISOString()).slice(0, 10);
  const isThisYear = year === String(now.getFullYear());
  if (count === 1) {
    // An imported bird, of which only the first day is known.
    if (lastHeardOn?.startsWith(year)) return null;
    if (!isThisYear) return t('heardBefore.firstOf', { year });
    return t(lastHeardOn == null ? 'heardBefore.new' : 'heardBefore.first');
  }
  const ordinal = { count, ordinal: true } as const;
  const times = isThisYear ? t('heardBefore.times', ordinal) : t('heardBefore.timesOf', { ...ordinal, year });
  if (lastHeardOn == null || lastHeardOn === day) return times;
  const last = lastInWords(lastHeardOn, day, today, t, dateLocale(i18n.language));
  return t('heardBefore.last', { times, last });
}

/**
 * ` · 3rd time this year, last 12 days ago`, to follow other facts; nothing if it does not count. A rejected bird was not heard, and a
 * confirmed one is no longer new.
 */
export function HeardBefore({
  prediction,
  scientificName,
}: {
  readonly prediction: Prediction;
  readonly scientificName: string;
}) {
  const { t } = useTranslation();
  const line = useLine(prediction, scientificName);
  const { reviews = [] } = prediction;
  const review = reviewOf(reviews, scientificName);
  const isConfirmed = reviews.some((one) => reviewedAs(one)?.scientificName === scientificName);
  const isOver = (review && isRefused(review)) || (isConfirmed && line === t('heardBefore.new'));
  // Its room stays, so that the buttons below do not move as one is pressed.
  return line !== null && <span style={{ visibility: isOver ? 'hidden' : 'visible' }}> · {line}</span>;
}
