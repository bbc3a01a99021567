import { isAtLeastPerhaps, isFound, isRefused, type LookAlike, type Prediction } from '@chiffchaff/contract';
import { type ReactNode, useContext } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { formatDate, formatDuration } from '../../../../platform/format/format.ts';
import { ReviewedName, reviewOf, saidInstead } from '../../../../ui/reviews/reviewed-name.tsx';
import { ReferenceRecordings, SpeciesLink } from '../../../../ui/species/species-link.tsx';
import { StageHeading } from '../../../../ui/stage-heading.tsx';
import { AidsOn } from '../../../../ui/timeline/sound/aids-on.tsx';
import { BirdList } from '../birds/bird-list.tsx';
import { type ListedBirds, livesIn } from '../birds/listed-birds.ts';
import { PlayButton, PlayPassage } from '../birds/play-button.tsx';
import { isSilence } from '../check-up.tsx';
import { openPlaceForm } from '../conditions-panel.tsx';
import { AddedBirds } from '../reviews/review-buttons.tsx';
import { headlineOf, resultInWords } from '../wording.ts';
import styles from './verdict.module.css';

interface Properties {
  readonly prediction: Prediction;
  readonly birds: ListedBirds;
  readonly withLessLikely: boolean;
  readonly onLessLikely: (shown: boolean) => void;
  /** An account has the prediction. */
  readonly isKept: boolean;
  readonly fileName: string;
  /** Starts again with another recording: the next step when no bird was heard. */
  readonly another: ReactNode;
  /** Says which place the result is for, and changes it. */
  readonly conditions: (isPlaceMissed: boolean) => ReactNode;
  /** Actions for the result. */
  readonly children?: ReactNode;
}

/**
 * What was heard: the headline, then the one list of birds. Reviews move nothing: a refused bird of the headline is struck through, and
 * only where no bird was found, what the owner added takes the headline's place, followed by the model's result.
 */
export function VerdictCard({
  prediction,
  birds,
  isKept,
  fileName,
  another,
  conditions: placeOf,
  children,
  ...lessLikely
}: Properties) {
  const { t, i18n } = useTranslation();
  const { verdict, candidates, recording, reviews, conditions, createdAt } = prediction;
  const day = formatDate(conditions.date ?? createdAt, i18n.language, { dateStyle: 'long' });
  const { main, besides } = birds;
  const [only] = main;
  const isNoBird = main.length === 0;
  const said = isNoBird ? saidInstead(verdict, reviews, t, i18n.language) : '';
  const headline = said || headlineOf(prediction, main, t, i18n.language);
  const isAlone = main.length === 1 && verdict.genus === null;
  const review = isAlone && only ? reviewOf(reviews, only.scientificName) : undefined;
  const confirmed = (reviews ?? []).filter(({ verdict: said }) => said === 'confirmed').length;
  const isUnsure = main.length === 1 && only?.candidate?.confidenceWord === 'notSure';
  const regionsOf = ({ candidate }: ListedBirds['main'][number]) => candidate && livesIn(candidate, t, i18n.language);
  const regions = isAlone && only && !review?.to ? regionsOf(only) : null;
  const isPlaceMissed =
    [...main, ...besides].some((bird) => regionsOf(bird) !== null) ||
    candidates.some((bird) => !isFound(bird) && isAtLeastPerhaps(bird.confidenceWord));
  const isSilent = isSilence(prediction);
  // In silence there is no bird to add, and no place would change that.
  const isFinal = isSilent && (reviews ?? []).length === 0;
  return (
    <section className={`stack-tight card ${styles.verdict}`} data-kind={verdict.kind} data-unsure={isUnsure}>
      <div className={`soft small ${styles.heard}`}>
        <bdi className={styles.fileName}>{fileName}</bdi>
        <span>{formatDuration(recording.durationSeconds, i18n.language)}</span>
        <span className="printed">{conditions.date ? day : t('sentOn.day', { date: day })}</span>
        {/* Here, where it moves nothing. */}
        {confirmed > 0 && <span>{t('reviewed.count', { count: confirmed })}</span>}
        {useContext(PlayPassage) && <AidsOn />}
      </div>
      <StageHeading className={styles.sentence}>
        <ReviewedName name={headline} language={undefined} review={review} />
        {/* Those who see it find it below the picture. */}
        {headline === only?.commonName && only.candidate && !(review && isRefused(review)) && (
          <span className="visually-hidden"> ({t(`word.${only.candidate.confidenceWord}`)})</span>
        )}
        {regions !== null && <span className={`soft ${styles.lives}`}> {t('answer.livesIn', { regions })}</span>}
        {regions !== null && only?.candidate && !isFound(only.candidate) && (
          <>
            {' '}
            <button type="button" className="link" onClick={openPlaceForm}>
              {t('answer.recordedThere')}
            </button>
          </>
        )}
      </StageHeading>
      {said !== '' && <p>{t('reviewed.model', { result: resultInWords(prediction, main, t, i18n.language) })}</p>}
      {isNoBird && (
        <div className={`stack measure ${styles.next}`}>
          <p>{t(isSilent ? 'checkUp.SILENTdo' : 'noBird.next')}</p>
          {another}
        </div>
      )}
      <BirdList prediction={prediction} birds={birds} isKept={isKept} isAlone={isAlone} {...lessLikely}>
        {isKept && !isFinal && <AddedBirds prediction={prediction} />}
      </BirdList>
      {verdict.lookAlike && <LookAlikeNote lookAlike={verdict.lookAlike} />}
      {!isFinal && placeOf(isPlaceMissed)}
      {children && <div className={`cluster parted unprinted ${styles.actions}`}>{children}</div>}
    </section>
  );
}

/** What the first bird is easily taken for, to compare: a part of this recording to play, and recordings of it elsewhere. */
function LookAlikeNote({ lookAlike }: { readonly lookAlike: LookAlike }) {
  const { t } = useTranslation();
  const { commonName, scientificName, reason, occurrenceWord, best } = lookAlike;
  const remark = occurrenceWord === undefined ? '' : t(`lookAlike.remark.${occurrenceWord}`);
  return (
    <div className="cluster-tight">
      {best && <PlayButton name={commonName} passage={best} />}
      <p>
        {t(`lookAlike.${reason}`, { name: commonName, remark })}{' '}
        <SpeciesLink scientificName={scientificName} commonName={commonName} isBare />
      </p>
      <ReferenceRecordings scientificName={scientificName} commonName={commonName} />
    </div>
  );
}
