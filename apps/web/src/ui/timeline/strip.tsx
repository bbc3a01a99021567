import { useEffect, useRef } from 'react';
import type { Span } from '../../platform/format/format.ts';
import type { Playback } from './sound/playback.ts';
import { usePicture } from './spectrogram/use-painted-levels.ts';
import type { SpectrogramStatus } from './spectrogram/use-spectrogram-source.ts';
import styles from './strip.module.css';
import { useSize } from './view/use-size.ts';

/** A sound to draw and play. */
export interface Sound {
  readonly spectrogram: SpectrogramStatus;
  readonly playback: Playback | null;
  readonly durationSeconds: number;
}

interface Properties {
  readonly sound: Sound;
  readonly passage: Span;
}

/** The spectrogram of a passage, with a playhead. Decorative: the play button beside it says what it is. */
export function Strip({ passage: { startSeconds, endSeconds }, sound: { spectrogram, playback } }: Properties) {
  const { element, width } = useSize<HTMLDivElement>();
  const playhead = useRef<HTMLDivElement>(null);
  const source = spectrogram.kind === 'ready' ? spectrogram.source : null;
  const spanSeconds = endSeconds - startSeconds;
  const canvas = usePicture(source, { startSeconds, endSeconds }, width);
  // On every frame, so past React.
  useEffect(
    () =>
      playback?.onPosition((seconds) => {
        const share = (seconds - startSeconds) / spanSeconds;
        if (!playhead.current) return;
        playhead.current.hidden = share < 0 || share > 1;
        playhead.current.style.left = `${share * 100}%`;
      }),
    [playback, startSeconds, spanSeconds],
  );
  return (
    <div ref={element} className={styles.strip} aria-hidden="true">
      <canvas ref={canvas} />
      <div ref={playhead} className={styles.playhead} hidden />
    </div>
  );
}
