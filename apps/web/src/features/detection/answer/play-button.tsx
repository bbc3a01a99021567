import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import styles from './answer.module.css';

interface Properties {
  readonly name: string;
  readonly passage: { readonly startSeconds: number; readonly endSeconds: number };
  readonly onPlay: (startSeconds: number, endSeconds: number) => void;
}

/** Whether there is any sound of the recording, here or at the server. */
export const HasSound = createContext(true);

export function PlayButton({ name, passage: { startSeconds, endSeconds }, onPlay }: Properties) {
  const { t } = useTranslation();
  const from = timeLabel(startSeconds, 1);
  const hasSound = useContext(HasSound);
  if (!hasSound) return <span className={styles.soft}>{from}</span>;
  return (
    <button
      type="button"
      className={styles.play}
      aria-label={t('table.play', { name, from })}
      onClick={() => onPlay(startSeconds, endSeconds)}
    >
      <IconPlayerPlayFilled aria-hidden="true" />
      <span aria-hidden="true">{from}</span>
    </button>
  );
}
