import type { Prediction } from '@chiffchaff/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../../../../platform/format/format.ts';
import { reviewsInWords } from '../../../../ui/reviews/reviews-in-words.ts';
import { StageHeading } from '../../stage-heading.tsx';
import { BirdList } from '../birds/bird-list.tsx';
import type { ListedBirds } from '../birds/listed-birds.ts';
import { livesIn } from '../birds/lives-in.ts';
import { isSilence } from '../check-up.tsx';
import { AddedBirds } from '../reviews/added-birds.tsx';
import { useAnswerPlace } from '../use-answer-place.ts';
import { headlineOf, resultInWords } from './headline.ts';
import { LookAlikeNote } from './look-alike-note.tsx';
import styles from './verdict.module.css';

interface Properties {
  readonly prediction: Prediction;
  readonly birds: ListedBirds;
  readonly withLessLikely: boolean;
  readonly onLessLikely: (shown: boolean) => void;
  /** An account has the prediction. */
  readonly isKept: boolean;
  readonly fileName: string;
  /** Leads to the place field; null if the prediction cannot be computed again. */
  readonly onAddPlace: (() => void) | null;
  /** Actions for the result. */
  readonly children?: ReactNode;
}

/**
 * What was heard: the headline, then the one list of birds. If the owner has corrected it, the review becomes the headline, followed by the
 * model's.
 */
export function VerdictCard({ prediction, birds, isKept, fileName, onAddPlace, children, ...lessLikely }: Properties) {
  const { t, i18n } = useTranslation();
  const { verdict, recording, conditions, reviews } = prediction;
  const { main, besides } = birds;
  const [only] = main;
  const said = reviewsInWords(reviews, t, i18n.language);
  const isAlone = said === '' && main.length === 1 && verdict.genus === null;
  const isUnsure = main.length === 1 && only?.candidate?.confidenceWord === 'notSure';
  const regionsOf = ({ candidate }: ListedBirds['main'][number]) => candidate && livesIn(candidate, conditions, t, i18n.language);
  const regions = isAlone && only ? regionsOf(only) : null;
  const { name, coordinates, assumed } = useAnswerPlace(conditions);
  const [town = ''] = name.split(', ');
  const place = coordinates === null ? (assumed ?? t('place.unknown')) : t('place.near', { place: town || coordinates });
  const lacksPlace = [...main, ...besides].some((bird) => regionsOf(bird) !== null);
  const isWithoutPlace = lacksPlace && coordinates === null && assumed === null;
  const isNoBird = main.length === 0;
  return (
    <section className={styles.verdict} data-kind={verdict.kind} data-unsure={isUnsure}>
      <p className={styles.heard}>
        <bdi className={styles.fileName}>{fileName}</bdi>
        <span>{formatDuration(recording.durationSeconds, i18n.language)}</span>
      </p>
      <StageHeading className={main.length > 1 && said === '' && !verdict.tied ? styles.count : styles.sentence}>
        {said === '' ? headlineOf(prediction, main, t, i18n.language) : said}
        {regions !== null && <span className={styles.lives}> {t('answer.livesIn', { regions })}</span>}
      </StageHeading>
      {said !== '' && <p>{t('reviewed.model', { result: resultInWords(prediction, main, t, i18n.language) })}</p>}
      {isNoBird && <p className={styles.next}>{t(isSilence(prediction) ? 'checkUp.SILENTdo' : 'noBird.next')}</p>}
      <BirdList prediction={prediction} birds={birds} isKept={isKept} isAlone={isAlone} {...lessLikely} />
      {verdict.lookAlike && <LookAlikeNote lookAlike={verdict.lookAlike} />}
      <p className={styles.place}>
        {isWithoutPlace ? t('answer.placeMissing') : t('answerPlace.line', { place })}
        {lacksPlace && !isWithoutPlace && `. ${t('answer.placeAssumed')}`}{' '}
        {onAddPlace && (
          <button type="button" className={lacksPlace ? 'button button-quiet' : 'text-button'} onClick={onAddPlace}>
            {t(isWithoutPlace ? 'answer.addPlace' : 'answerPlace.change')}
          </button>
        )}
      </p>
      <div className={styles.actions}>
        {isKept && <AddedBirds prediction={prediction} />}
        {children}
      </div>
    </section>
  );
}
