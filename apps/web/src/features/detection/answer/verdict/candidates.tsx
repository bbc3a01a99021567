import { type Candidate, namedBirds, type OtherSound, type Prediction } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/format.ts';
import styles from '../answer.module.css';
import { PlayButton } from '../play-button.tsx';
import { soundName } from '../wording.ts';
import { BirdRow } from './bird-row.tsx';
import verdictStyles from './verdict.module.css';

interface Properties {
  readonly prediction: Prediction;
  /** An account has the prediction. */
  readonly isKept: boolean;
}

/** Candidates that the verdict does not name; those below the lowest word are behind a disclosure. Silence has none. */
export function OtherCandidates({ prediction, isKept }: Properties) {
  const { t } = useTranslation();
  const named = new Set(namedBirds(prediction).map(({ scientificName }) => scientificName));
  const others = prediction.candidates.filter(({ scientificName }) => !named.has(scientificName));
  if (others.length === 0) return null;
  const worthy = others.filter(({ confidenceWord }) => confidenceWord !== 'none');
  const weak = others.filter(({ confidenceWord }) => confidenceWord === 'none');
  const rows = (candidates: readonly Candidate[]) => (
    <ul className={verdictStyles.birds}>
      {candidates.map((candidate) => (
        <BirdRow key={candidate.scientificName} candidate={candidate} prediction={prediction} isKept={isKept} level={3} />
      ))}
    </ul>
  );
  return (
    <section aria-labelledby="candidates-title" className={styles.section}>
      <h2 id="candidates-title">{t('answer.candidates')}</h2>
      <p className={styles.soft}>{t('answer.candidatesHelp')}</p>
      {worthy.length > 0 && rows(worthy)}
      {weak.length > 0 && (
        <details className={styles.disclosure}>
          <summary>{t('answer.less', { count: weak.length })}</summary>
          {rows(weak)}
        </details>
      )}
    </section>
  );
}

/** Birds hidden by location, one tap away. */
export function HiddenByLocation({ prediction, isKept }: Properties) {
  const { t } = useTranslation();
  const candidates = prediction.hiddenByLocation;
  if (candidates.length === 0) return null;
  return (
    <details className={styles.disclosure}>
      <summary>{t('details.hiddenTitle', { count: candidates.length })}</summary>
      <p className={styles.soft}>{t('details.hiddenHelp')}</p>
      <ul className={verdictStyles.birds}>
        {candidates.map((candidate) => (
          <BirdRow
            key={candidate.scientificName}
            candidate={candidate}
            prediction={prediction}
            isKept={isKept}
            level={3}
            isHidden
          />
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
