import { birdsOfSentence, isLikely, type NamedBird, namedBirds, type Prediction } from '@chiffchaff/contract';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatDuration } from '../../../../platform/format/format.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { reviewsInWords } from '../../../../ui/reviews/reviews-in-words.ts';
import { Notes } from '../../../../ui/wordmark.tsx';
import { StageHeading } from '../../stage-heading.tsx';
import { firstHeardSeconds } from '../passages.ts';
import { AddedBirds } from '../reviews/added-birds.tsx';
import { useAnswerPlace } from '../use-answer-place.ts';
import { headlineOf } from '../wording.ts';
import { BirdRow } from './bird-row.tsx';
import { livesIn } from './lives-in.ts';
import { LookAlikeNote } from './look-alike-note.tsx';
import styles from './verdict.module.css';

interface Properties {
  readonly prediction: Prediction;
  /** An account has the prediction. */
  readonly isKept: boolean;
  readonly fileName: string;
  /** Leads to the place field; null if the prediction cannot be computed again. */
  readonly onAddPlace: (() => void) | null;
  /** Actions for the result. */
  readonly children?: ReactNode;
}

/** With more birds, each takes one line if there is room, and those that are perhaps also present are folded. */
const MOST_WHOLE_BIRDS = 8;

/** The birds of the headline, and those that are perhaps also present, each in the order in which they are first heard. */
function partOf(prediction: Prediction): { readonly main: readonly NamedBird[]; readonly besides: readonly NamedBird[] } {
  const { verdict } = prediction;
  const named = namedBirds(prediction).toSorted(
    (one, other) => firstHeardSeconds(one, prediction) - firstHeardSeconds(other, prediction),
  );
  const isOpen = verdict.kind === 'unsure' && !verdict.tied && verdict.genus === null;
  const inSentence = new Set(birdsOfSentence(verdict, named));
  return isOpen
    ? { main: named, besides: [] }
    : { main: named.filter((bird) => inSentence.has(bird)), besides: named.filter((bird) => !inSentence.has(bird)) };
}

/**
 * What was heard: the headline, then its birds, then below a line those that are perhaps also present. If the owner has corrected it, the
 * review becomes the headline, followed by the model's.
 */
export function VerdictCard({ prediction, isKept, fileName, onAddPlace, children }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const besidesId = useId();
  const { verdict, recording, conditions } = prediction;
  const { main, besides } = partOf(prediction);
  const [only] = main;
  const said = reviewsInWords(prediction.reviews, t, i18n.language);
  const isSilent = prediction.checkUp.some(({ code, share }) => code === 'SILENT' && share === 1);
  const isNoisy = said === '' && !isSilent && !main.some(({ confidenceWord }) => isLikely(confidenceWord));
  const isAlone = said === '' && main.length === 1 && verdict.notExpectedHere === null && verdict.genus === null;
  const regionsOf = (bird: NamedBird) => livesIn(bird, conditions, t, i18n.language);
  const regions = isAlone && only ? regionsOf(only) : null;
  const { name, coordinates, assumed } = useAnswerPlace(conditions);
  const [town = ''] = name.split(', ');
  const place = coordinates === null ? (assumed ?? t('place.unknown')) : t('place.near', { place: town || coordinates });
  const areMany = main.length + besides.length > MOST_WHOLE_BIRDS;
  const listStyle = areMany ? `${styles.birds} ${styles.many}` : styles.birds;
  const headline = headlineOf(prediction, main, t, i18n.language);
  const lacksPlace = [...main, ...besides].some((bird) => regionsOf(bird) !== null);
  const isWithoutPlace = lacksPlace && coordinates === null && assumed === null;
  const rows = (birds: readonly NamedBird[]) =>
    birds.map((bird) => (
      <BirdRow
        key={bird.scientificName}
        candidate={bird}
        prediction={prediction}
        isKept={isKept}
        firstSeconds={firstHeardSeconds(bird, prediction)}
        {...(!(isAlone && birds === main) && { level: 2 })}
      />
    ));
  return (
    <section className={styles.verdict} data-kind={verdict.kind}>
      {main.length < 2 && <Notes className={styles.notes} />}
      <p className={styles.heard}>
        {t('answer.heard')} · <bdi className={styles.fileName}>{fileName}</bdi> ·{' '}
        {formatDuration(recording.durationSeconds, i18n.language)}
      </p>
      <StageHeading className={styles.sentence}>
        {said === '' ? headline : said}
        {regions !== null && <span className={styles.lives}> {t('answer.livesIn', { regions })}</span>}
      </StageHeading>
      {said !== '' && <p>{t('reviewed.model', { result: headline })}</p>}
      {(main.length > 0 || verdict.notExpectedHere) && (
        <ul className={listStyle}>
          {verdict.notExpectedHere && (
            <BirdRow candidate={verdict.notExpectedHere} prediction={prediction} isKept={isKept} level={2} isHidden />
          )}
          {rows(main)}
        </ul>
      )}
      {besides.length > 0 && areMany && (
        <details className={styles.besides}>
          <summary id={besidesId}>{t('manyBirds.more', { count: besides.length })}</summary>
          <ul className={listStyle} aria-labelledby={besidesId}>
            {rows(besides)}
          </ul>
        </details>
      )}
      {besides.length > 0 && !areMany && (
        <div className={styles.besides}>
          <p id={besidesId}>{t('answer.perhapsAlso')}</p>
          <ul className={styles.birds} aria-labelledby={besidesId}>
            {rows(besides)}
          </ul>
        </div>
      )}
      {verdict.lookAlike && <LookAlikeNote lookAlike={verdict.lookAlike} />}
      {isKept && <AddedBirds prediction={prediction} />}
      {isNoisy && <p>{t('voices.help')}</p>}
      <p className={styles.addPlace}>
        {!isWithoutPlace && t('answerPlace.line', { place })}
        {lacksPlace && ` ${t(isWithoutPlace ? 'answer.placeMissing' : 'answer.placeAssumed')}`}{' '}
        {onAddPlace && (
          <button type="button" className={lacksPlace ? 'button button-quiet' : 'text-button'} onClick={onAddPlace}>
            {t(isWithoutPlace ? 'answer.addPlace' : 'answerPlace.change')}
          </button>
        )}
      </p>
      {(verdict.tied || main.length === 0) && (
        <p className={styles.meaning}>
          {verdict.tied ? t('meaning.tied') : t('meaning.none', words.rangeOf('none'))}{' '}
          <Link to="/about#words">{t('meaning.label')}</Link>
        </p>
      )}
      {children && <div className={styles.actions}>{children}</div>}
    </section>
  );
}
