import {
  type Candidate,
  type ConfidenceEvidence,
  isLikely,
  type OccurrenceWord,
  occurrenceRemark,
  type Prediction,
} from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Popover } from '../../../../ui/popover.tsx';
import { LearnMore, SpeciesLink } from '../../../../ui/species/species-link.tsx';
import { useRightOf, WordTable } from '../../../../ui/word-table.tsx';
import styles from './birds.module.css';
import { DetectionTable } from './detection-table.tsx';
import type { ListedBird } from './listed-birds.ts';

type Expectation = 'none' | 'notExpected' | 'assumedHere' | 'assumedElsewhere' | OccurrenceWord;

/** What place and season say about a bird. */
function expectationOf(candidate: Candidate, isHidden: boolean): Expectation {
  const { occurrence, occurrenceWord, assumed } = candidate;
  if (assumed !== undefined) return assumed === 'here' ? 'assumedHere' : 'assumedElsewhere';
  if (occurrence === null) return 'none';
  // A device that does not know the surroundings has no word for it.
  return occurrenceWord ?? occurrenceRemark(candidate) ?? (isHidden ? 'notExpected' : 'expected');
}

/** What decides which tests tell most about an answer. */
type Judged = Pick<Prediction, 'model' | 'conditions' | 'verdict'>;

interface ReasonsProperties {
  readonly candidate: Candidate;
  readonly prediction: Judged;
  /** Hidden by location; its confidence is the one without a place. */
  readonly isHidden: boolean;
}

/** The reasons for a bird's result, in sentences. */
export function Reasons({ candidate, prediction, isHidden }: ReasonsProperties) {
  const { t, i18n } = useTranslation();
  const words = useWords();
  const evidence = useConfidenceEvidence(prediction.model.id);
  const { scientificName, commonName, score, confidenceWord } = candidate;
  const decimals = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const tests = evidence && testsOf(evidence, prediction);
  const ofWord = tests?.words.find(({ word, of }) => word === confidenceWord && of > 0);
  const ofSpecies = evidence?.species[scientificName];
  return (
    <ul className={`soft measure ${styles.reasons}`}>
      {/* A range beside a count of tests would be two answers to one question. */}
      <li>
        {tests && ofWord
          ? t(tests.key, { word: t(`word.${confidenceWord}`), right: ofWord.right, of: ofWord.of })
          : t(confidenceWord === 'none' ? 'meaning.below' : `meaning.${confidenceWord}`, words.rangeOf(confidenceWord))}
      </li>
      {evidence && (
        <li>
          {ofSpecies
            ? t('evidence.species', { count: ofSpecies.named, right: ofSpecies.right, name: commonName })
            : t('evidence.few', { least: evidence.minNamed, name: commonName })}
        </li>
      )}
      <li>{t('why.sound', { score: decimals.format(score) })}</li>
      {/* Without a date, the whole year counts. */}
      <li>
        {t(`why.place.${expectationOf(candidate, isHidden)}`, {
          season: prediction.conditions.week === null ? '' : t('why.season'),
        })}
      </li>
      {!isLikely(confidenceWord) && <li>{t('voices.help')}</li>}
    </ul>
  );
}

/** What a bird's row opens to: the reasons, its detections, and links to more about the bird. */
export function BirdDetails({ bird, prediction }: { readonly bird: ListedBird; readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const { scientificName, commonName, candidate, detections, isHidden } = bird;
  return (
    <>
      {candidate && (
        <>
          <Reasons candidate={candidate} prediction={prediction} isHidden={isHidden} />
          <div>
            <WordMeanings prediction={prediction} />
          </div>
        </>
      )}
      {detections.length > 0 ? (
        <DetectionTable detections={detections} name={commonName} />
      ) : (
        <p className="soft">{t('birdRow.noDetection')}</p>
      )}
      <p className="soft">
        {t('birdRow.page')} <SpeciesLink scientificName={scientificName} commonName={commonName} />
      </p>
      <LearnMore scientificName={scientificName} commonName={commonName} />
    </>
  );
}

/** How often the words were right under such conditions; the tests with a place drew one for each recording. */
export function testsOf({ tested, places, scenes }: ConfidenceEvidence, { conditions: { placeSource }, verdict }: Judged) {
  const place = ({ none: 'none', assumed: 'zoneAssumed', stated: 'town', file: 'town' } as const)[placeSource];
  const scene = verdict.named.length > 1 ? scenes?.rows.find((row) => row.place === place) : undefined;
  if (scene) return { words: scene.words, key: 'evidence.wordInScenes' } as const;
  const drawn = placeSource === 'none' ? undefined : places?.rows.find((row) => row.place === place);
  return { words: (drawn ?? tested).words, key: drawn ? 'evidence.wordAtPlace' : 'evidence.word' } as const;
}

/** *What do these words mean?*, answered in place: their ranges, and how often each was right in tests under such conditions. */
function WordMeanings({ prediction }: { readonly prediction: Judged }) {
  const { t } = useTranslation();
  const { rangeOf } = useWords();
  const evidence = useConfidenceEvidence(prediction.model.id);
  const counted = evidence && testsOf(evidence, prediction).words;
  const rightOf = useRightOf();
  return (
    <Popover label={t('meaning.label')}>
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
    </Popover>
  );
}
