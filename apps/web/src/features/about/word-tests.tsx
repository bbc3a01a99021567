import type { ConfidenceCounts, WordEvidence } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { useConfidenceEvidence } from '../../platform/api/confidence-evidence.ts';
import { formatPercent } from '../../platform/format/format.ts';
import { useWords } from '../../platform/format/words.ts';
import styles from '../../ui/prose.module.css';

/** The words of confidence with how often each was right, and how that was tested. Without evidence, the words alone. */
export function WordTests({ modelId }: { readonly modelId: string | null }) {
  const { t, i18n } = useTranslation();
  const { thresholds } = useWords();
  const evidence = useConfidenceEvidence(modelId);
  const percent = (share: number) => formatPercent(share, i18n.language);
  const rightOf = (words: readonly WordEvidence[], wanted: WordEvidence['word']) => {
    const { right = 0, of = 0 } = words.find(({ word }) => word === wanted) ?? {};
    return of === 0 ? '–' : t('about.rightOfValue', { right, of, share: percent(right / of) });
  };
  // Where the coefficients in use were tested on everything out of their folds, both are the same.
  const showsBoth = evidence !== null && evidence.inUse.withoutPlace === 'published';
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('about.word')}</th>
            <th scope="col">{t('about.from')}</th>
            {showsBoth && <th scope="col">{t('about.rightUnseen')}</th>}
            {evidence && <th scope="col">{t('about.rightCrossValidated')}</th>}
          </tr>
        </thead>
        <tbody>
          {thresholds.map(({ word, fromConfidence }) => (
            <tr key={word}>
              <th scope="row">{t(`word.${word}`)}</th>
              <td>{percent(fromConfidence)}</td>
              {showsBoth && <td>{rightOf(evidence.tested.words, word)}</td>}
              {evidence && <td>{rightOf(evidence.crossValidated.words, word)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {evidence && (
        <>
          <h3>{t('about.testedTitle')}</h3>
          {showsBoth && <Counted counts={evidence.tested} how="about.unseen" />}
          <Counted counts={evidence.crossValidated} how="about.crossValidated" />
          <p>{t('about.speciesTested', { count: Object.keys(evidence.species).length, least: evidence.minNamed })}</p>
          <p>{t('about.limits')}</p>
        </>
      )}
    </>
  );
}

/** Less sound without birds than this says nothing of how often one is named in it. */
const LEAST_HOURS = 0.25;

/** What was counted on one set of recordings, in sentences. */
function Counted({ counts, how }: { readonly counts: ConfidenceCounts; readonly how: 'about.unseen' | 'about.crossValidated' }) {
  const { t, i18n } = useTranslation();
  const percent = (share: number) => formatPercent(share, i18n.language);
  const number = (value: number, maximumFractionDigits = 1) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits }).format(value);
  const { birds, species, withoutClass, figures, scoreCoverage, birdFreeHours } = counts;
  const alarms = birdFreeHours < LEAST_HOURS ? [] : counts.falseAlarms;
  return (
    <>
      <p>{t(how, { birds: number(birds), species: number(species), withoutClass })}</p>
      <ul>
        <li>{t('about.calibrationError', { error: number(figures.calibrationError * 100) })}</li>
        <li>
          {t('about.coverage', {
            confidence95: percent(figures.coverage.at95),
            confidence90: percent(figures.coverage.at90),
            score95: percent(scoreCoverage.at95),
            score90: percent(scoreCoverage.at90),
          })}
        </li>
        {alarms.map(({ fromConfidence, birds: alarms, perHour }) => (
          <li key={fromConfidence}>
            {t('about.falseAlarms', {
              hours: number(birdFreeHours, 2),
              birds: alarms,
              from: number(fromConfidence * 100),
              perHour: number(perHour),
            })}
          </li>
        ))}
      </ul>
    </>
  );
}
