import type { Candidate, Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { languageTag } from '../../../platform/species-language.ts';
import { confidenceInPercent, wordThresholds } from '../../../platform/words.ts';
import { Meter } from '../../../ui/meter.tsx';
import styles from './answer.module.css';
import { LearnMore } from './learn-more.tsx';
import { PlayButton } from './play-button.tsx';
import { TwoReadings } from './two-readings.tsx';

interface Properties {
  readonly prediction: Prediction;
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

const notches = wordThresholds.map(({ fromConfidence }) => fromConfidence);

function CandidateRow({
  candidate,
  namesIn,
  onPlay,
}: { readonly candidate: Candidate; readonly namesIn: string } & Pick<Properties, 'onPlay'>) {
  const { t, i18n } = useTranslation();
  const { commonName, scientificName, confidence, confidenceWord, best, unusualHere } = candidate;
  const word = t(`word.${confidenceWord}`);
  const percent = confidenceInPercent(confidence, t, i18n.language);
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
          text={t('answer.meter', { word, percent })}
          notches={notches}
        />
        <span className={styles.soft} aria-hidden="true">
          {word} · {percent}
        </span>
      </div>
      <TwoReadings candidate={candidate} />
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

/** All candidates in their ranking; those below every word wait behind a disclosure. */
export function CandidateList({ prediction, onPlay }: Properties) {
  const { t } = useTranslation();
  const namesIn = languageTag(prediction.conditions.language);
  const likely = prediction.candidates.filter(({ confidenceWord }) => confidenceWord !== 'none');
  const less = prediction.candidates.filter(({ confidenceWord }) => confidenceWord === 'none');
  const rows = (candidates: readonly Candidate[]) => (
    <ol className={styles.candidates}>
      {candidates.map((candidate) => (
        <CandidateRow key={candidate.scientificName} candidate={candidate} namesIn={namesIn} onPlay={onPlay} />
      ))}
    </ol>
  );
  return (
    <section aria-labelledby="candidates-title" className={styles.section}>
      <h2 id="candidates-title">{t('answer.candidates')}</h2>
      <p className={styles.soft}>{t('answer.candidatesHelp')}</p>
      {likely.length > 0 && rows(likely)}
      {less.length > 0 && (
        <details className={styles.disclosure}>
          <summary>{t('answer.less', { count: less.length })}</summary>
          {rows(less)}
        </details>
      )}
    </section>
  );
}
