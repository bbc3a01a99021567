import type { Candidate } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { useWords } from '../../../../platform/format/words.ts';
import { Meter } from '../../../../ui/meter.tsx';
import styles from '../answer.module.css';
import { PlayButton } from '../passages/play-button.tsx';
import { LearnMore } from './learn-more.tsx';
import { TwoReadings } from './score-and-occurrence.tsx';

interface Properties {
  readonly candidate: Candidate;
  /** Language of its name, as a tag. */
  readonly namesIn: string;
  /** The place rules it out; its confidence is the one without a place. */
  readonly isHidden?: boolean;
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

/** One bird that it could be: how sure, where it is best heard, what sound and place say, and where there is more about it. */
export function CandidateRow({ candidate, namesIn, isHidden = false, onPlay }: Properties) {
  const { t } = useTranslation();
  const words = useWords();
  const { commonName, scientificName, confidence, confidenceWord, best, unusualHere } = candidate;
  const word = t(`word.${confidenceWord}`);
  const percent = words.percentOf(confidence);
  return (
    <li className={styles.candidate}>
      <div className={styles.candidateNames}>
        <span className={styles.common} lang={namesIn}>
          {commonName}
        </span>{' '}
        <i lang="la">{scientificName}</i>
        {unusualHere && <span className={styles.tag}>{t('answer.unusual')}</span>}
      </div>
      <PlayButton name={commonName} passage={best} onPlay={onPlay} />
      <div className={styles.candidateMeter}>
        <Meter
          label={t('answer.certainty', { name: commonName })}
          value={confidence}
          text={words.describe(candidate)}
          notches={words.thresholds.map(({ fromConfidence }) => fromConfidence)}
        />
        <span className={styles.soft} aria-hidden="true">
          {word} · {percent}
        </span>
      </div>
      <TwoReadings candidate={candidate} isHidden={isHidden} />
      <details className={styles.more}>
        <summary>
          {t('learn.title')}
          <span className="visually-hidden">: {commonName}</span>
        </summary>
        <LearnMore scientificName={scientificName} commonName={commonName} />
      </details>
    </li>
  );
}
