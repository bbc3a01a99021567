import type { Candidate, OtherSound, Prediction } from '@chiffchaff/contract';
import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import { languageTag } from '../../../platform/format/species-language.ts';
import { useWords } from '../../../platform/format/words.ts';
import { Meter } from '../../../ui/meter.tsx';
import styles from './answer.module.css';
import { PlayButton } from './play-button.tsx';
import { soundName } from './wording.ts';

/** From here on a bird is called expected; below the model's own limit it counts as rare (`unusualHere`). */
const EXPECTED_FROM = 0.2;

type Expectation = 'noPlace' | 'rare' | 'possible' | 'expected';

/** How far a bird is to be expected at the place and in the week. */
function expectationOf({ occurrence, unusualHere }: Pick<Candidate, 'occurrence' | 'unusualHere'>): Expectation {
  if (occurrence === null) return 'noPlace';
  if (unusualHere) return 'rare';
  return occurrence >= EXPECTED_FROM ? 'expected' : 'possible';
}

/** What the sound says and what place and season say, side by side: neither is worked into the other. */
function TwoReadings({ candidate, isHidden }: { readonly candidate: Candidate; readonly isHidden: boolean }) {
  const { t, i18n } = useTranslation();
  const { score, occurrence } = candidate;
  const decimals = new Intl.NumberFormat(i18n.language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const readings = [
    { name: t('readings.sound'), share: score, text: t('readings.score', { score: decimals.format(score) }) },
    { name: t('readings.place'), share: occurrence, text: t(`readings.${isHidden ? 'rare' : expectationOf(candidate)}`) },
  ];
  return (
    <dl className={styles.readings}>
      {readings.map(({ name, share, text }) => (
        <div key={name} className={styles.reading}>
          <dt>{name}</dt>
          <dd>
            {share !== null && (
              <span className={styles.readingBar} aria-hidden="true">
                <span style={{ width: `${share * 100}%` }} />
              </span>
            )}
            {text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface LearnMoreProperties {
  readonly scientificName: string;
  readonly commonName: string;
}

function addressesOf(scientificName: string, language: string): readonly (readonly [site: string, url: string])[] {
  const query = encodeURIComponent(scientificName);
  const [wiki = 'en'] = language.split('-');
  return [
    ['Wikipedia', `https://${wiki}.wikipedia.org/w/index.php?search=${query}&go=Go`],
    ['Xeno-canto', `https://xeno-canto.org/explore?query=${query}`],
    ['GBIF', `https://www.gbif.org/species/search?q=${query}`],
  ];
}

/** Ways to other sites about a species; nothing is asked of them before one is followed. */
function LearnMore({ scientificName, commonName }: LearnMoreProperties) {
  const { t, i18n } = useTranslation();
  return (
    <p className={styles.learn}>
      {addressesOf(scientificName, i18n.language).map(([site, url]) => (
        <a
          key={site}
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t('learn.link', { name: commonName, site })}
        >
          {site}
          <IconExternalLink aria-hidden="true" />
        </a>
      ))}
    </p>
  );
}

interface CandidateRowProperties {
  readonly candidate: Candidate;
  readonly namesIn: string;
  /** The place rules it out; its confidence is the one without a place. */
  readonly isHidden?: boolean;
}

/** One bird that it could be: how sure, where it is best heard, what sound and place say, and where there is more about it. */
function CandidateRow({ candidate, namesIn, isHidden = false }: CandidateRowProperties) {
  const { t } = useTranslation();
  const words = useWords();
  const { commonName, scientificName, confidence, confidenceWord, best, unusualHere } = candidate;
  const word = t(`word.${confidenceWord}`);
  const percent = words.percentOf(confidence);
  return (
    <li className={styles.candidate}>
      <div className={styles.candidateNames}>
        <span className={styles.common} lang={namesIn}>
          {commonName}
        </span>{' '}
        <i lang="la">{scientificName}</i>
        {unusualHere && <span className={styles.tag}>{t('answer.unusual')}</span>}
      </div>
      <PlayButton name={commonName} passage={best} />
      <div className={styles.candidateMeter}>
        <Meter
          label={t('answer.certainty', { name: commonName })}
          value={confidence}
          text={words.describe(candidate)}
          notches={words.thresholds.map(({ fromConfidence }) => fromConfidence)}
        />
        <span className={styles.soft} aria-hidden="true">
          {word} · {percent}
        </span>
      </div>
      <TwoReadings candidate={candidate} isHidden={isHidden} />
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

/** All candidates in their ranking; those below every word wait behind a disclosure. Silence has none. */
export function CandidateList({ prediction }: { readonly prediction: Prediction }) {
  const { t } = useTranslation();
  const namesIn = languageTag(prediction.conditions.language);
  if (prediction.candidates.length === 0) return null;
  const likely = prediction.candidates.filter(({ confidenceWord }) => confidenceWord !== 'none');
  const less = prediction.candidates.filter(({ confidenceWord }) => confidenceWord === 'none');
  const rows = (candidates: readonly Candidate[]) => (
    <ol className={styles.candidates}>
      {candidates.map((candidate) => (
        <CandidateRow key={candidate.scientificName} candidate={candidate} namesIn={namesIn} />
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

/** What the place and date set apart, one tap away. */
export function HiddenByLocation({
  candidates,
  namesIn,
}: {
  readonly candidates: readonly Candidate[];
  readonly namesIn: string;
}) {
  const { t } = useTranslation();
  if (candidates.length === 0) return null;
  return (
    <details className={styles.disclosure}>
      <summary>{t('details.hiddenTitle', { count: candidates.length })}</summary>
      <p className={styles.soft}>{t('details.hiddenHelp')}</p>
      <ul className={styles.candidates}>
        {candidates.map((candidate) => (
          <CandidateRow key={candidate.scientificName} candidate={candidate} namesIn={namesIn} isHidden />
        ))}
      </ul>
    </details>
  );
}

export function OtherSounds({ sounds }: { readonly sounds: readonly OtherSound[] }) {
  const { t } = useTranslation();
  if (sounds.length === 0) return null;
  return (
    <section aria-labelledby="other-title" className={styles.section}>
      <h2 id="other-title">{t('details.otherTitle')}</h2>
      <ul className={styles.plainList}>
        {sounds.map((sound) => (
          <li key={`${sound.label}@${sound.startSeconds}`} className={styles.withPlay}>
            <PlayButton name={soundName(sound.label, t)} passage={sound} />
            <span>
              {t('details.otherSound', {
                label: soundName(sound.label, t),
                from: timeLabel(sound.startSeconds),
                to: timeLabel(sound.endSeconds),
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
