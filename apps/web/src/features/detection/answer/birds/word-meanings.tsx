import type { Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { useRightOf } from '../../../../platform/format/right-of.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Popover } from '../../../../ui/popover.tsx';
import { WordTable } from '../../../../ui/word-table.tsx';
import styles from './birds.module.css';
import { testsOf } from './tests-of.ts';

type Answer = Pick<Prediction, 'model' | 'conditions'>;

/** The confidence words with their ranges, and how often each was right in tests under such conditions. */
function Meanings({ prediction }: { readonly prediction: Answer }) {
  const { t } = useTranslation();
  const { rangeOf } = useWords();
  const evidence = useConfidenceEvidence(prediction.model.id);
  const counted = evidence && testsOf(evidence, prediction.conditions).words;
  const rightOf = useRightOf();
  return (
    <>
      <WordTable
        className={styles.words}
        columns={[
          { title: t('wordMeanings.confidence'), textOf: ({ word }) => t('aboutWords.range', rangeOf(word)) },
          ...(counted ? [{ title: t('wordMeanings.right'), textOf: rightOf(counted) }] : []),
        ]}
      />
      <p>
        <Link to="/about#words">{t('aboutWords.figures')}</Link>
      </p>
    </>
  );
}

/** *What do these words mean?*, answered in place. */
export function WordMeanings({ prediction }: { readonly prediction: Answer }) {
  const { t } = useTranslation();
  return (
    <Popover label={t('meaning.label')}>
      <Meanings prediction={prediction} />
    </Popover>
  );
}
