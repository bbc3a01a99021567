import {
  type Candidate,
  type ConfidenceEvidence,
  type OccurrenceWord,
  occurrenceRemark,
  type Prediction,
} from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { formatPercent } from '../../../../platform/format/format.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { LearnMore } from '../../../../ui/species/learn-more.tsx';
import styles from './verdict.module.css';

type Expectation = 'none' | 'notExpected' | 'assumedHere' | 'assumedElsewhere' | OccurrenceWord;

/** What place and season say about a bird. */
function expectationOf(candidate: Candidate, isHidden: boolean): Expectation {
  const { occurrence, occurrenceWord, assumed } = candidate;
  if (assumed !== undefined) return assumed === 'here' ? 'assumedHere' : 'assumedElsewhere';
  if (occurrence === null) return 'none';
  // Older answers have no word.
  return occurrenceWord ?? occurrenceRemark(candidate) ?? (isHidden ? 'notExpected' : 'expected');
}

/** How often the words were right under such conditions; the tests with a place drew one for each recording. */
function testsOf({ tested, places }: ConfidenceEvidence, { placeSource = 'none' }: Prediction['conditions']) {
  const place = { none: 'none', assumed: 'zoneAssumed', stated: 'town', file: 'town' }[placeSource];
  const drawn = placeSource === 'none' ? undefined : places?.rows.find((row) => row.place === place);
  return { words: (drawn ?? tested).words, key: drawn ? 'evidence.wordAtPlace' : 'evidence.word' } as const;
}

interface Properties {
  readonly candidate: Candidate;
  readonly prediction: Pick<Prediction, 'model' | 'conditions'>;
  /** Hidden by location; its confidence is the one without a place. */
  readonly isHidden?: boolean;
}

function Reasons({ candidate, prediction, isHidden = false }: Properties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const evidence = useConfidenceEvidence(prediction.model.id);
  const { scientificName, commonName, score, confidenceWord } = candidate;
  const decimals = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const tests = evidence && testsOf(evidence, prediction.conditions);
  const ofWord = tests?.words.find(({ word, of }) => word === confidenceWord && of > 0);
  const ofSpecies = evidence?.species[scientificName];
  return (
    <ul className={styles.reasons}>
      <li>
        {t(confidenceWord === 'none' ? 'meaning.below' : `meaning.${confidenceWord}`, words.rangeOf(confidenceWord))}{' '}
        <Link to="/about#words">{t('meaning.label')}</Link>
      </li>
      {tests && ofWord && (
        <li>
          {t(tests.key, {
            word: t(`word.${confidenceWord}`),
            right: ofWord.right,
            of: ofWord.of,
            share: formatPercent(ofWord.right / ofWord.of, i18n.language),
          })}
        </li>
      )}
      {evidence && (
        <li>
          {ofSpecies
            ? t('evidence.species', { count: ofSpecies.named, right: ofSpecies.right, name: commonName })
            : t('evidence.few', { least: evidence.minNamed, name: commonName })}
        </li>
      )}
      <li>{t('why.sound', { score: decimals.format(score) })}</li>
      <li>{t(`why.place.${expectationOf(candidate, isHidden)}`)}</li>
    </ul>
  );
}

/** The reasons for a bird's result, in sentences, with links to more about the bird; one click away. */
export function Why(properties: Properties) {
  const { t } = useTranslation();
  const { candidate } = properties;
  return (
    <details className={styles.why}>
      <summary>
        {t('why.title')}
        <span className="visually-hidden"> {candidate.commonName}</span>
      </summary>
      <Reasons {...properties} />
      <LearnMore {...candidate} />
    </details>
  );
}
