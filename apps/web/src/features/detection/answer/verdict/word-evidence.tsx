import type { Candidate } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { formatPercent } from '../../../../platform/format/format.ts';
import styles from '../answer.module.css';

interface Properties {
  readonly modelId: string;
  /** What the verdict names. */
  readonly named: readonly Pick<Candidate, 'scientificName' | 'commonName' | 'confidenceWord'>[];
  /** Language of the species names, as a tag. */
  readonly namesIn: string;
}

/** How often the verdict's words were right on test recordings, and how well its birds were tested. Nothing where nobody counted. */
export function WordEvidence({ modelId, named, namesIn }: Properties) {
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
