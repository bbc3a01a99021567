import type { Candidate, OtherSound } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { confidenceInPercent } from '../../../platform/words.ts';
import { timeLabel } from '../../../ui/timeline/time-label.ts';
import styles from './answer.module.css';
import { PlayButton } from './play-button.tsx';

/** What the place and date set apart, one tap away. */
export function HiddenByLocation({
  candidates,
  namesIn,
}: {
  readonly candidates: readonly Candidate[];
  readonly namesIn: string;
}) {
  const { t, i18n } = useTranslation();
  if (candidates.length === 0) return null;
  return (
    <details className={styles.disclosure}>
      <summary>{t('details.hiddenTitle', { count: candidates.length })}</summary>
      <p className={styles.soft}>{t('details.hiddenHelp')}</p>
      <ul className={styles.plainList}>
        {candidates.map(({ scientificName, commonName, confidence }) => (
          <li key={scientificName}>
            <span lang={namesIn}>{commonName}</span> <i lang="la">{scientificName}</i>{' '}
            <span className={styles.soft}>{confidenceInPercent(confidence, t, i18n.language)}</span>
          </li>
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
            <PlayButton name={sound.label} passage={sound} onPlay={onPlay} />
            <span>
              {t('details.otherSound', {
                label: sound.label,
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
