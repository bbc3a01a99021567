import type { Candidate, Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { languageTag } from '../../../../platform/format/species-language.ts';
import styles from '../answer.module.css';
import { CandidateRow } from './candidate-row.tsx';

interface Properties {
  readonly prediction: Prediction;
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

/** All candidates in their ranking; those below every word wait behind a disclosure. Silence has none. */
export function CandidateList({ prediction, onPlay }: Properties) {
  const { t } = useTranslation();
  const namesIn = languageTag(prediction.conditions.language);
  if (prediction.candidates.length === 0) return null;
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
