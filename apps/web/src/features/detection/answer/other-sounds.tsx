import type { OtherSound } from '@chiffchaff/contract';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import styles from './answer.module.css';
import { PlayButton } from './birds/play-button.tsx';
import { soundName } from './check-up.tsx';

/** Sounds that are not a bird's, each with its time. */
export function OtherSounds({ sounds }: { readonly sounds: readonly OtherSound[] }) {
  const { t } = useTranslation();
  if (sounds.length === 0) return null;
  return (
    <section aria-labelledby="other-title" className={`stack ${styles.section}`}>
      <h2 id="other-title">{t('details.otherTitle')}</h2>
      <ul className="stack-tight">
        {sounds.map((sound) => (
          <li key={`${sound.label}@${sound.startSeconds}`} className="line">
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
