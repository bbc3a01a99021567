import { type FailedPrediction, isLikely, isRefused, type PredictionSummary, reviewedAs } from '@chiffchaff/contract';
import { IconCheck, IconTrash, IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useTranslation } from '../../languages/i18n.ts';
import { problemSentence } from '../../platform/api/error-sentence.ts';
import { formatDate, listOf } from '../../platform/format/format.ts';
import { usePlaceInWords } from '../../platform/format/place-in-words.ts';
import { languageTag } from '../../platform/format/species-language.ts';
import { useWords } from '../../platform/format/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { reviewsInWords } from '../../ui/reviews/reviewed-name.tsx';
import styles from './history.module.css';
import { rowLinkId } from './open-undo-notice.tsx';
import { Strip } from './strip.tsx';

interface FailedListProperties {
  readonly failed: readonly FailedPrediction[];
  readonly onDismiss: (id: string) => void;
}

/** Recordings that failed within the last day, whichever device sent them, each with the reason. */
export function FailedList({ failed, onDismiss }: FailedListProperties) {
  const { t, i18n } = useTranslation();
  if (failed.length === 0) return null;
  return (
    <details className={styles.failed}>
      <summary>{t('history.failed', { count: failed.length })}</summary>
      <ul className="plain">
        {failed.map(({ id, createdAt, fileName, problem }) => {
          const name = fileName ?? t('answer.noName');
          return (
            <li key={id} className={`line ${styles.row}`}>
              <div className={styles.open}>
                <span>{problemSentence(problem, t, i18n.language)}</span>
                <span className={styles.soft}>
                  <bdi>{name}</bdi> · <time dateTime={createdAt}>{formatDate(createdAt, i18n.language)}</time>
                </span>
              </div>
              <IconButton label={t('history.dismiss', { name })} icon={IconX} onClick={() => onDismiss(id)} />
            </li>
          );
        })}
      </ul>
    </details>
  );
}

interface DaysProperties {
  readonly predictions: readonly PredictionSummary[];
  readonly namesIn: string | null;
  /** null while deleting is impossible */
  readonly onDelete: ((id: string) => void) | null;
}

/** Predictions in groups, each under its day: that of the recording if it is known, else of the upload. */
export function PredictionDays({ predictions, ...row }: DaysProperties) {
  const { t, i18n } = useTranslation();
  const dayOf = (at: string) => formatDate(at, i18n.language, { dateStyle: 'full' });
  const days = Map.groupBy(predictions, ({ recordedOn, createdAt }) =>
    recordedOn ? dayOf(recordedOn) : t('sentOn.day', { date: dayOf(createdAt) }),
  );
  return [...days].map(([title, ofDay]) => (
    <section key={title} className={styles.day}>
      <h3>{title}</h3>
      <ul className="plain">
        {ofDay.map((prediction) => (
          <PredictionRow key={prediction.id} prediction={prediction} {...row} />
        ))}
      </ul>
    </section>
  ));
}

type Name = Pick<PredictionSummary['species'][number], 'scientificName' | 'commonName'>;

/**
 * What a row says: the birds that the owner named, then those of the model's headline that the owner has left, and in a word how doubtful
 * these are.
 */
function useHeard(prediction: PredictionSummary) {
  const { t } = useTranslation();
  const words = useWords();
  const { verdict, species, reviews = [] } = prediction;
  const confirmed = new Map<string, Name>();
  for (const bird of reviews.map(reviewedAs)) if (bird) confirmed.set(bird.scientificName, bird);
  const refused = new Set(reviews.filter(isRefused).map(({ scientificName }) => scientificName));
  const isLeft = ({ scientificName }: Name) => !refused.has(scientificName) && !confirmed.has(scientificName);
  const birds = species.map((bird) => ({ ...bird, word: words.wordOf(bird.confidence) }));
  const tied = (verdict.tiedBirds ?? []).filter(isLeft);
  const isTie = tied.length > 1 && confirmed.size === 0;
  const clear = birds.filter(({ word }) => isLikely(word));
  const headline = (verdict.kind === 'several' ? clear : birds.slice(0, 1)).filter(isLeft);
  const [first] = headline;
  const elsewhere = verdict.elsewhere && isLeft(verdict.elsewhere) && confirmed.size === 0 ? verdict.elsewhere : null;
  const named: readonly Name[] = isTie ? tied : elsewhere ? [elsewhere] : headline;
  const isNamed = new Set(named.map(({ scientificName }) => scientificName));
  return {
    confirmed: [...confirmed.values()],
    named,
    isTie,
    others: birds.filter((bird) => isLeft(bird) && !isNamed.has(bird.scientificName)).length,
    doubt: isTie
      ? t('history.tied')
      : elsewhere
        ? t('history.elsewhere')
        : first && !isLikely(first.word)
          ? t(`word.${first.word}`)
          : null,
  };
}

type RowProperties = Omit<DaysProperties, 'predictions'> & { readonly prediction: PredictionSummary };

function PredictionRow({ prediction, namesIn, onDelete }: RowProperties) {
  const { t, i18n } = useTranslation();
  const { id, createdAt, fileName, durationSeconds, recordedOn, reviews, keptAudio } = prediction;
  const { confirmed, named, isTie, others, doubt } = useHeard(prediction);
  const place = usePlaceInWords(prediction.place);
  const recording = fileName ?? t('answer.noName');
  const language = namesIn === null ? undefined : languageTag(namesIn);
  const nameOf = ({ commonName, scientificName }: Name) => (
    <span key={scientificName} lang={language}>
      {commonName}
    </span>
  );
  const birds = [
    ...confirmed.map((bird) => (
      <span key={bird.scientificName} className={styles.confirmed}>
        {nameOf(bird)}
        <IconCheck aria-hidden="true" />
        <span className="visually-hidden"> ({t('birdReview.confirmedByYou')})</span>
      </span>
    )),
    ...named.map(nameOf),
  ];
  const said = reviewsInWords(reviews, t, i18n.language);
  const without = said || t(prediction.verdict.kind === 'noBird' ? 'answer.noBird' : 'history.unsure');
  return (
    <li className={`line ${styles.row}`}>
      <Strip id={id} keptAudio={keptAudio} durationSeconds={durationSeconds} />
      <Link id={rowLinkId(id)} to={`/history/${encodeURIComponent(id)}`} className={styles.open}>
        <span className={styles.birds} data-named={birds.length > 0}>
          {birds.length > 0 ? listOf(birds, i18n.language, isTie ? 'disjunction' : 'conjunction') : without}
          {doubt !== null && <span className={styles.soft}> {doubt}</span>}
          {birds.length > 0 && others > 0 && <span className={styles.soft}> +{others}</span>}
        </span>{' '}
        <span className={styles.soft}>
          {!recordedOn && (
            <>
              <time dateTime={createdAt}>{formatDate(createdAt, i18n.language, { timeStyle: 'short' })}</time>
              {' · '}
            </>
          )}
          {place !== null && `${place} · `}
          <bdi>{recording}</bdi>
          {keptAudio !== null && <span className="visually-hidden">, {t('history.withSound')}</span>}
        </span>
      </Link>
      {onDelete && <IconButton label={t('history.delete', { name: recording })} icon={IconTrash} onClick={() => onDelete(id)} />}
    </li>
  );
}
