import {
  type Candidate,
  type ConfidenceEvidence,
  type Detection,
  isLikely,
  type OccurrenceWord,
  occurrenceRemark,
  type Prediction,
} from '@chiffchaff/contract';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useTranslation } from '../../../../languages/i18n.ts';
import { useConfidenceEvidence } from '../../../../platform/api/confidence-evidence.ts';
import { timeLabel } from '../../../../platform/format/format.ts';
import { useWords } from '../../../../platform/format/words.ts';
import { Button } from '../../../../ui/button.tsx';
import { Popover } from '../../../../ui/popover.tsx';
import { LearnMore, SpeciesLink } from '../../../../ui/species/species-link.tsx';
import { useRightOf, WordTable } from '../../../../ui/word-table.tsx';
import { certaintyOf } from '../passages.ts';
import styles from './birds.module.css';
import type { ListedBird } from './listed-birds.ts';
import { PlayButton } from './play-button.tsx';

type Expectation = 'none' | 'notExpected' | 'assumedHere' | 'assumedSeldom' | 'assumedElsewhere' | OccurrenceWord;

/** What place and season say about a bird. */
function expectationOf(candidate: Candidate, isHidden: boolean): Expectation {
  const { occurrence, occurrenceWord, assumed } = candidate;
  if (assumed === 'elsewhere') return 'assumedElsewhere';
  if (assumed === 'here') return occurrenceRemark(candidate) === null ? 'assumedHere' : 'assumedSeldom';
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
  // The tests with a place are of birds that live there.
  const judged: Judged = isHidden ? { ...prediction, conditions: { ...prediction.conditions, placeSource: 'none' } } : prediction;
  return (
    <>
      {candidate && (
        <>
          <Reasons candidate={candidate} prediction={judged} isHidden={isHidden} />
          <div>
            <WordMeanings prediction={judged} />
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

/** Rows added at a time: thousands at once would block the page. */
const MORE_ROWS = 100;

type Order = 'time' | 'sure';

interface TableProperties {
  /** of one bird */
  readonly detections: readonly Detection[];
  /** the bird's */
  readonly name: string;
}

const ROWS_AT_FIRST = 10;

/** The detections of one bird, row by row, by time or surest first, some rows at a time. */
export function DetectionTable({ detections, name }: TableProperties) {
  const { t } = useTranslation();
  const words = useWords();
  const [order, setOrder] = useState<Order>('time');
  const [shown, setShown] = useState(ROWS_AT_FIRST);
  const sorted = useMemo(
    () =>
      detections.toSorted((one, other) =>
        order === 'time' ? one.startSeconds - other.startSeconds : other.confidence - one.confidence,
      ),
    [detections, order],
  );
  const head = (by: Order, text: string) => (
    <th scope="col" aria-sort={order === by ? (by === 'time' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className="link" onClick={() => setOrder(by)}>
        {text}
        <span aria-hidden="true">{order === by ? (by === 'time' ? ' ▲' : ' ▼') : ''}</span>
      </button>
    </th>
  );
  return (
    <>
      <table className={styles.table} aria-label={t('species.table', { name })}>
        <thead>
          <tr>
            {head('time', t('table.when'))}
            {head('sure', t('table.sure'))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((detection) => (
            <tr key={detection.startSeconds}>
              <td>
                <div className="line">
                  <PlayButton name={name} passage={detection} />
                  <span>
                    {timeLabel(detection.startSeconds, 1)}–{timeLabel(detection.endSeconds, 1)}
                  </span>
                </div>
              </td>
              <td>{certaintyOf(detection, t, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && (
        <Button onClick={() => setShown(shown + MORE_ROWS)}>
          {sorted.length <= shown + MORE_ROWS
            ? t('table.more', { count: sorted.length })
            : t('table.moreRows', { count: MORE_ROWS, all: sorted.length })}
        </Button>
      )}
    </>
  );
}
