import type { Candidate, OtherSound } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../../platform/format/time-label.ts';
import styles from '../answer.module.css';
import { PlayButton } from '../passages/play-button.tsx';
import { soundName } from '../verdict/wording.ts';
import { CandidateRow } from './candidate-row.tsx';

/** What the place and date set apart, one tap away. */
export function HiddenByLocation({
  candidates,
  namesIn,
  onPlay,
}: {
  readonly candidates: readonly Candidate[];
  readonly namesIn: string;
} & Pick<OtherSoundsProperties, 'onPlay'>) {
  const { t } = useTranslation();
  if (candidates.length === 0) return null;
  return (
    <details className={styles.disclosure}>
      <summary>{t('details.hiddenTitle', { count: candidates.length })}</summary>
      <p className={styles.soft}>{t('details.hiddenHelp')}</p>
      <ul className={styles.candidates}>
        {candidates.map((candidate) => (
          <CandidateRow key={candidate.scientificName} candidate={candidate} namesIn={namesIn} isHidden onPlay={onPlay} />
        ))}
      </ul>
    </details>
  );
}

interface OtherSoundsProperties {
  readonly sounds: readonly OtherSound[];
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

/** Engines, dogs, frogs: what is no bird. */
export function OtherSounds({ sounds, onPlay }: OtherSoundsProperties) {
  const { t } = useTranslation();
  if (sounds.length === 0) return null;
  return (
    <section aria-labelledby="other-title" className={styles.section}>
      <h2 id="other-title">{t('details.otherTitle')}</h2>
      <ul className={styles.plainList}>
        {sounds.map((sound) => (
          <li key={`${sound.label}@${sound.startSeconds}`} className={styles.withPlay}>
            <PlayButton name={soundName(sound.label, t)} passage={sound} onPlay={onPlay} />
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
