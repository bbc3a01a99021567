import type { Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { useRightOf } from '../../../../platform/format/right-of.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Popover } from '../../../../ui/popover.tsx';
import styles from './birds.module.css';
import { testsOf } from './tests-of.ts';

type Answer = Pick<Prediction, 'model' | 'conditions'>;

/** The confidence words with their ranges, and how often each was right in tests under such conditions. */
function Meanings({ prediction }: { readonly prediction: Answer }) {
  const { t } = useTranslation();
  const { thresholds, rangeOf } = useWords();
  const evidence = useConfidenceEvidence(prediction.model.id);
  const counted = evidence && testsOf(evidence, prediction.conditions).words;
  const rightOf = useRightOf();
  return (
    <>
      <table className={styles.words}>
        <thead>
          <tr>
            <th scope="col">{t('about.word')}</th>
            <th scope="col">{t('wordMeanings.confidence')}</th>
            {counted && <th scope="col">{t('wordMeanings.right')}</th>}
          </tr>
        </thead>
        <tbody>
          {thresholds.map(({ word }) => (
            <tr key={word}>
              <th scope="row">{t(`word.${word}`)}</th>
              <td data-label={t('wordMeanings.confidence')}>{t('aboutWords.range', rangeOf(word))}</td>
              {counted && <td data-label={t('wordMeanings.right')}>{rightOf(counted, word)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
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
