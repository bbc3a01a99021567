import { type Candidate, isRefused, occurrenceRemark, type Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import { languageTag } from '../../../../platform/format/species-language.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Meter } from '../../../../ui/meter.tsx';
import { reviewOf } from '../../../../ui/reviews/reviewed-name.tsx';
import { SpeciesLink } from '../../../../ui/species/species-link.tsx';
import { PlayButton } from '../play-button.tsx';
import { ReviewButtons } from '../reviews/review-buttons.tsx';
import { HeardBeforeLine } from './heard-before.tsx';
import { livesIn } from './lives-in.ts';
import styles from './verdict.module.css';
import { Why } from './why.tsx';

interface Properties {
  readonly candidate: Candidate;
  readonly prediction: Prediction;
  /** An account has the prediction: only then can birds be corrected. */
  readonly isKept: boolean;
  /** Heading level of its name; absent if the verdict's sentence already names it. */
  readonly level?: 2 | 3;
  readonly firstSeconds?: number;
  /** Hidden by location; its confidence is the one without a place. */
  readonly isHidden?: boolean;
}

/** One bird of a result: its name, how sure, when it is first heard, its best moment to play, and why. */
export function BirdRow({ candidate, prediction, isKept, level, firstSeconds, isHidden = false }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const { conditions, reviews = [] } = prediction;
  const { commonName, scientificName, confidence, confidenceWord, best } = candidate;
  const occurrence = occurrenceRemark(candidate);
  const Name = level === 3 ? 'h3' : 'h2';
  const review = reviewOf(reviews, scientificName);
  const isStruck = isRefused(review);
  const isFromAnother = reviews.some(({ to }) => to === scientificName);
  const regions = level === undefined ? null : livesIn(candidate, conditions, t, i18n.language);
  const facts = [
    t(isHidden ? 'answer.meterWithoutPlace' : 'answer.meter', {
      word: t(`word.${confidenceWord}`),
      percent: words.percentOf(confidence),
    }),
    ...(firstSeconds === undefined ? [] : [t('answer.firstHeard', { at: timeLabel(firstSeconds) })]),
    ...(isFromAnother ? [t('birdReview.confirmedByYou')] : []),
    ...(occurrence === null ? [] : [t(`answer.occurrence.${occurrence}`)]),
  ];
  return (
    <li className={styles.bird}>
      <div className={styles.names}>
        {level !== undefined && (
          <Name className={styles.name} lang={languageTag(conditions.language)}>
            {isStruck ? <s>{commonName}</s> : commonName}
            {isStruck && <span className="visually-hidden"> ({t('birdReview.rejectedByYou')})</span>}
          </Name>
        )}{' '}
        <SpeciesLink scientificName={scientificName} commonName={commonName} />
        <p className={styles.facts}>{facts.join(' · ')}</p>
        {isKept && !isStruck && (
          <HeardBeforeLine prediction={prediction} scientificName={scientificName} className={styles.facts} />
        )}
        {regions !== null && <p className={styles.facts}>{t('answer.livesIn', { regions })}</p>}
      </div>
      <PlayButton name={commonName} passage={best} isBest />
      <div className={styles.meter}>
        <Meter
          label={t('answer.certainty', { name: commonName })}
          value={confidence}
          text={words.describe(candidate)}
          notches={words.thresholds.map(({ fromConfidence }) => fromConfidence)}
        />
      </div>
      {isKept && (
        <div className={styles.reviews}>
          <ReviewButtons
            predictionId={prediction.id}
            heardAt={prediction.conditions}
            bird={candidate}
            reviews={prediction.reviews}
          />
        </div>
      )}
      <Why candidate={candidate} prediction={prediction} isHidden={isHidden} />
    </li>
  );
}
