import { type FailedPrediction, isLikely, type PredictionSummary } from '@chiffchaff/contract';
import { IconTrash, IconX } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { problemSentence } from '../../platform/api/error-sentence.ts';
import { dateLocale, formatDuration, listOf } from '../../platform/format/format.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { useWords } from '../../platform/format/words.ts';
import { reviewsInWords } from '../../ui/reviews/reviews-in-words.ts';
import styles from './history.module.css';
import { Strip } from './strip.tsx';

interface FailedListProperties {
  readonly failed: readonly FailedPrediction[];
  readonly onDismiss: (id: string) => void;
}

/** Recordings that failed within the last day, whichever device sent them, each with the reason. */
export function FailedList({ failed, onDismiss }: FailedListProperties) {
  const { t, i18n } = useTranslation();
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  if (failed.length === 0) return null;
  return (
    <details className={styles.failed}>
      <summary>{t('history.failed', { count: failed.length })}</summary>
      <ul className={styles.rows}>
        {failed.map(({ id, createdAt, fileName, problem }) => {
          const name = fileName ?? t('answer.noName');
          return (
            <li key={id} className={styles.row}>
              <div className={styles.open}>
                <span>{problemSentence(problem, t, i18n.language)}</span>
                <span className={styles.soft}>
                  <bdi className={styles.fileName}>{name}</bdi> ·{' '}
                  <time dateTime={createdAt}>{time.format(new Date(createdAt))}</time>
                </span>
              </div>
              <button
                type="button"
                className={styles.remove}
                aria-label={t('history.dismiss', { name })}
                title={t('history.dismiss', { name })}
                onClick={() => onDismiss(id)}
              >
                <IconX aria-hidden="true" />
              </button>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

interface Properties {
  readonly prediction: PredictionSummary;
  readonly namesIn: string | null;
  /** null while deleting is impossible */
  readonly onDelete: (() => void) | null;
}

function wordsWithoutName({ verdict }: PredictionSummary, t: TFunction): string {
  if (verdict.kind === 'noBird') return t('answer.noBird');
  return verdict.tied && verdict.tiedBirds === undefined ? t('history.tied') : t('history.unsure');
}

export const rowLinkId = (predictionId: string): string => `answer-${predictionId}`;

export function PredictionRow({ prediction, namesIn, onDelete }: Properties) {
  const { t, i18n } = useTranslation();
  const { id, createdAt, fileName, durationSeconds, recordedOn, verdict, species, reviews, keptAudio } = prediction;
  // In UTC, so that no time zone shifts the date.
  const day = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat(dateLocale(i18n.language), { dateStyle: 'medium', timeStyle: 'short' });
  const [surest, ...others] = species;
  const words = useWords();
  const birds = species.map((bird) => ({ ...bird, confidenceWord: words.wordOf(bird.confidence) }));
  const clear = birds.filter(({ confidenceWord }) => isLikely(confidenceWord));
  const headline = verdict.kind === 'several' ? clear : birds.slice(0, verdict.tied ? 2 : 1);
  // In older predictions, the two of a tie are among the species.
  const tied = verdict.tied ? (verdict.tiedBirds ?? []) : [];
  const recording = fileName ?? t('answer.noName');
  const namesLanguage = (surest ?? tied[0]) && namesIn !== null ? languageTag(namesIn) : undefined;
  const nameOf = ({
    commonName,
    scientificName,
  }: Pick<PredictionSummary['species'][number], 'commonName' | 'scientificName'>) => (
    <span key={scientificName} lang={namesLanguage}>
      {commonName}
    </span>
  );
  const said = reviewsInWords(reviews, t, i18n.language);
  const named = surest ? listOf(headline.map(nameOf), i18n.language) : wordsWithoutName(prediction, t);
  const result = tied.length > 0 ? listOf(tied.map(nameOf), i18n.language, 'disjunction') : named;
  const isOneWord = said === '' && others.length === 0 && tied.length === 0;
  return (
    <li className={styles.row}>
      <Strip id={id} keptAudio={keptAudio} durationSeconds={durationSeconds} />
      <Link id={rowLinkId(id)} to={`/history/${encodeURIComponent(id)}`} className={styles.open}>
        <span className={styles.birds}>{said === '' ? result : said}</span>
        <span className={styles.soft}>
          {said !== '' &&
            t('reviewed.model', { result: surest || tied.length > 0 ? '' : `${wordsWithoutName(prediction, t)} · ` })}
          {tied.length > 0 && `${t('history.tied')} · `}
          {surest && isOneWord
            ? `${words.describe(surest)} · `
            : species.map((bird) => (
                <span key={bird.scientificName}>
                  {nameOf(bird)}: {words.describe(bird)} ·{' '}
                </span>
              ))}
          <bdi className={styles.fileName}>{recording}</bdi> · {formatDuration(durationSeconds, i18n.language)} ·{' '}
          {recordedOn && (
            <>
              <time dateTime={recordedOn}>{day.format(new Date(recordedOn))}</time> ·{' '}
            </>
          )}
          <time dateTime={createdAt}>{t('sentOn.row', { date: time.format(new Date(createdAt)) })}</time>
          {keptAudio !== null && ` · ${t('history.withSound')}`}
        </span>
      </Link>
      {onDelete && (
        <button
          type="button"
          className={styles.remove}
          aria-label={t('history.delete', { name: recording })}
          title={t('history.delete', { name: recording })}
          onClick={onDelete}
        >
          <IconTrash aria-hidden="true" />
        </button>
      )}
    </li>
  );
}
