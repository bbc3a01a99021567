import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import styles from './answer.module.css';

interface Properties {
  readonly name: string;
  readonly passage: { readonly startSeconds: number; readonly endSeconds: number };
}

/** Plays a passage of the recording; null where there is no sound of it, neither here nor at the server. */
export const PlayPassage = createContext<((startSeconds: number, endSeconds: number) => void) | null>(null);

export function PlayButton({ name, passage: { startSeconds, endSeconds } }: Properties) {
  const { t } = useTranslation();
  const from = timeLabel(startSeconds, 1);
  const play = useContext(PlayPassage);
  if (!play) return <span className={styles.soft}>{from}</span>;
  return (
    <button
      type="button"
      className={styles.play}
      aria-label={t('table.play', { name, from })}
      onClick={() => play(startSeconds, endSeconds)}
    >
      <IconPlayerPlayFilled aria-hidden="true" />
      <span aria-hidden="true">{from}</span>
    </button>
  );
}
