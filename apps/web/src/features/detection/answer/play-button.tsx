import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../../platform/format/format.ts';
import styles from './answer.module.css';

interface Properties {
  readonly name: string;
  readonly passage: { readonly startSeconds: number; readonly endSeconds: number };
  /** It is the bird's best moment: the label says so instead of its time. */
  readonly isBest?: boolean;
}

/** Plays a part of the recording; null if neither this device nor the server has its audio. */
export const PlayPassage = createContext<((startSeconds: number, endSeconds: number) => void) | null>(null);

interface Playing {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly stop: () => void;
}
/** The part that is being played; null if none is. */
export const PlayingPassage = createContext<Playing | null>(null);

/** Plays and stops a part of the recording; renders nothing without audio. */
export function PlayButton({ name, passage: { startSeconds, endSeconds }, isBest = false }: Properties) {
  const { t } = useTranslation();
  const from = timeLabel(startSeconds, 1);
  const play = useContext(PlayPassage);
  const playing = useContext(PlayingPassage);
  if (!play) return null;
  const isPlaying = playing?.startSeconds === startSeconds && playing.endSeconds === endSeconds;
  const Icon = isPlaying ? IconPlayerStopFilled : IconPlayerPlayFilled;
  const toPlay = t(isBest ? 'answer.playBest' : 'table.play', { name, from });
  return (
    <button
      type="button"
      className={styles.play}
      aria-label={isPlaying ? t('stopPlaying.label', { name }) : toPlay}
      onClick={() => (isPlaying ? playing.stop() : play(startSeconds, endSeconds))}
    >
      <Icon aria-hidden="true" />
      <span aria-hidden="true">{isPlaying ? t('stopPlaying.best') : isBest ? t('answer.bestMoment') : from}</span>
    </button>
  );
}
