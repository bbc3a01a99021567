import { IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import type { Span } from '../../platform/format/format.ts';
import { Button } from '../button.tsx';
import { AidsOn } from './sound/aids-on.tsx';
import { type ServedRecording, usePlayback } from './sound/use-playback.tsx';
import { useSpectrogramSource } from './spectrogram/use-spectrogram-source.ts';
import styles from './strip.module.css';
import { type Sound, Strip } from './strip.tsx';

/** One of the sounds to compare. */
export interface Clip {
  readonly title: ReactNode;
  readonly sound: Sound;
  readonly passage: Span;
}

/** Opens a sound of its own to draw and play, with the element that plays it. */
export function useSound(recording: Blob | null, served: ServedRecording | null | undefined, durationSeconds: number) {
  const { audio, playback } = usePlayback(recording, served, durationSeconds);
  const spectrogram = useSpectrogramSource(recording, served, durationSeconds);
  return { audio, sound: { spectrogram, playback, durationSeconds } satisfies Sound };
}

/** A clip that ends this close (s) to its end was played to it, not stopped. */
const NEAR_SECONDS = 0.3;

const lengthOf = ({ passage }: Clip): number => passage.endSeconds - passage.startSeconds;

/** Clips one below the other on one scale, or only one, and a button that plays them in turn. @param name of the bird */
export function Compare({ name, clips }: { readonly name: string; readonly clips: readonly Clip[] }) {
  const { t } = useTranslation();
  /** the clip that is playing */
  const [turn, setTurn] = useState<number | null>(null);
  const { sound, passage } = clips[turn ?? -1] ?? {};
  const playback = sound?.playback ?? null;
  const start = (index: number) => {
    const next = clips[index];
    setTurn(next?.sound.playback ? index : null);
    next?.sound.playback?.playPassage(next.passage.startSeconds, next.passage.endSeconds);
  };
  useEffect(() =>
    playback?.status.subscribe(() => {
      if (turn === null || !passage || playback.status.snapshot() === 'playing') return;
      const isOver = Math.abs(playback.positionSeconds() - passage.endSeconds) < NEAR_SECONDS;
      start(isOver ? turn + 1 : clips.length);
    }),
  );
  const longest = Math.max(...clips.map(lengthOf));
  return (
    <figure className={`stack-tight ${styles.compare}`} aria-label={t('compare.title', { name })}>
      {clips.map((clip, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
        <div key={index}>
          <div className="small soft">{clip.title}</div>
          <div style={{ width: `${(100 * lengthOf(clip)) / longest}%` }}>
            <Strip sound={clip.sound} passage={clip.passage} />
          </div>
        </div>
      ))}
      <div className="cluster">
        <Button
          isDisabled={clips.some((clip) => clip.sound.playback === null)}
          onClick={() => (turn === null ? start(0) : playback?.toggle())}
        >
          {turn === null ? <IconPlayerPlayFilled aria-hidden="true" /> : <IconPlayerStopFilled aria-hidden="true" />}
          {turn === null ? t('compare.play', { count: clips.length }) : t('compare.stop')}
        </Button>
        <AidsOn />
      </div>
    </figure>
  );
}
