import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { useTranslation } from '../../../../languages/i18n.ts';
import { type Span, timeLabel } from '../../../../platform/format/format.ts';
import styles from './play.module.css';

interface Properties {
  readonly name: string;
  readonly passage: Span;
  /** When the bird's best moment begins, if that is what is played: the label says so. */
  readonly bestSeconds?: number;
  /** For the one bird that the headline is about. */
  readonly isLarge?: boolean;
}

/** Plays a part of the recording; null if neither this device nor the server has its audio. */
export const PlayPassage = createContext<((startSeconds: number, endSeconds: number) => void) | null>(null);

/** The part that is being played; null if none is. */
export const PlayingPassage = createContext<(Span & { readonly stop: () => void }) | null>(null);

/** A round button that plays and stops a part of the recording, the best moment with its time; nothing without audio. */
export function PlayButton({ name, passage: { startSeconds, endSeconds }, bestSeconds, isLarge = false }: Properties) {
  const { t } = useTranslation();
  const isBest = bestSeconds !== undefined;
  const from = isBest ? timeLabel(bestSeconds) : timeLabel(startSeconds, 1);
  const play = useContext(PlayPassage);
  const playing = useContext(PlayingPassage);
  if (!play) return null;
  const isPlaying = playing?.startSeconds === startSeconds && playing.endSeconds === endSeconds;
  const Icon = isPlaying ? IconPlayerStopFilled : IconPlayerPlayFilled;
  const toPlay = t(isBest ? 'answer.playBest' : 'table.play', { name, from });
  return (
    <button
      type="button"
      className={`small unprinted ${styles.play}`}
      data-best={isBest}
      data-large={isLarge}
      aria-label={isPlaying ? t('stopPlaying.label', { name }) : toPlay}
      onClick={() => (isPlaying ? playing.stop() : play(startSeconds, endSeconds))}
    >
      <span className={`icon-button ${styles.disc}`}>
        <Icon aria-hidden="true" />
      </span>
      {isBest && (
        <span aria-hidden="true" className={styles.time}>
          {isPlaying ? t('stopPlaying.best') : from}
        </span>
      )}
    </button>
  );
}
