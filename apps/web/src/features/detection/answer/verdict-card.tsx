import { type Candidate, namedBirds, type Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../../platform/api/confidence-evidence.ts';
import { formatDuration, formatPercent } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { Notes } from '../../../ui/wordmark.tsx';
import { StageHeading } from '../stage-heading.tsx';
import styles from './answer.module.css';
import { PlayButton } from './play-button.tsx';
import { verdictSentence } from './wording.ts';

interface WordEvidenceProperties {
  readonly modelId: string;
  readonly named: readonly Pick<Candidate, 'scientificName' | 'commonName' | 'confidenceWord'>[];
  readonly namesIn: string;
}

/** How often the verdict's words were right on test recordings, and how well its birds were tested. Nothing where that was not counted. */
export function WordEvidence({ modelId, named, namesIn }: WordEvidenceProperties) {
  const { t, i18n } = useTranslation();
  const evidence = useConfidenceEvidence(modelId);
  if (evidence === null || named.length === 0) return null;
  const said = evidence.tested.words.filter(
    ({ word, of }) => of > 0 && named.some(({ confidenceWord }) => confidenceWord === word),
  );
  return (
    <ul className={styles.evidence}>
      {said.map(({ word, right, of }) => (
        <li key={word}>
          {t('evidence.word', { word: t(`word.${word}`), right, of, share: formatPercent(right / of, i18n.language) })}
        </li>
      ))}
      {named.map(({ scientificName, commonName }) => {
        const tests = evidence.species[scientificName];
        return (
          <li key={scientificName}>
            <span lang={namesIn}>{commonName}</span>:{' '}
            {tests
              ? t('evidence.species', { right: tests.right, named: tests.named })
              : t('evidence.few', { least: evidence.minNamed })}
          </li>
        );
      })}
    </ul>
  );
}

interface Properties {
  readonly prediction: Prediction;
  readonly fileName: string;
}

interface NamedBirdProperties {
  readonly candidate: Candidate;
  readonly namesIn: string;
  readonly withName: boolean;
  /** The place does not rule it out. */
  readonly isExpected?: boolean;
}

function NamedBird({ candidate, namesIn, withName, isExpected = true }: NamedBirdProperties) {
  const { t } = useTranslation();
  const words = useWords();
  const { commonName, scientificName, confidence, confidenceWord, best, unusualHere } = candidate;
  return (
    <li className={styles.named}>
      <PlayButton name={commonName} passage={best} />
      <p>
        {withName && (
          <>
            <strong lang={namesIn}>{commonName}</strong>{' '}
          </>
        )}
        <i lang="la">{scientificName}</i>
        <br />
        <span className={styles.soft}>
          {t(isExpected ? 'answer.meter' : 'answer.meterWithoutPlace', {
            word: t(`word.${confidenceWord}`),
            percent: words.percentOf(confidence),
          })}
          {unusualHere && ` · ${t('answer.unusual')}`}
        </span>
      </p>
    </li>
  );
}

export function VerdictCard({ prediction, fileName }: Properties) {
  const { t, i18n } = useTranslation();
  const { verdict, recording, conditions } = prediction;
  const namesIn = languageTag(conditions.language);
  const named = namedBirds(verdict, prediction.candidates);
  const words = useWords();
  const meaning = verdict.tied ? 'tied' : (named[0]?.confidenceWord ?? 'none');
  return (
    <section className={styles.verdict} data-kind={verdict.kind}>
      <Notes className={styles.notes} />
      <p className={styles.heard}>
        {t('answer.heard')} · <bdi className={styles.fileName}>{fileName}</bdi> ·{' '}
        {formatDuration(recording.durationSeconds, i18n.language)}
      </p>
      <StageHeading className={styles.sentence}>{verdictSentence(prediction, t, i18n.language)}</StageHeading>
      {(named.length > 0 || verdict.notExpectedHere) && (
        <ul className={styles.namedList}>
          {verdict.notExpectedHere && (
            <NamedBird candidate={verdict.notExpectedHere} namesIn={namesIn} withName isExpected={false} />
          )}
          {named.map((candidate) => (
            <NamedBird
              key={candidate.scientificName}
              candidate={candidate}
              namesIn={namesIn}
              withName={named.length > 1 || verdict.notExpectedHere !== null}
            />
          ))}
        </ul>
      )}
      <p className={styles.meaning}>
        {t(`meaning.${meaning}`, meaning === 'tied' ? {} : words.rangeOf(meaning))}{' '}
        <Link to="/about#words">{t('meaning.label')}</Link>
      </p>
      <WordEvidence modelId={prediction.model.id} named={named} namesIn={namesIn} />
    </section>
  );
}
