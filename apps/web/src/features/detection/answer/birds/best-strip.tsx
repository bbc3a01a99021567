import { createContext, useContext, useEffect, useRef } from 'react';
import type { Span } from '../../../../platform/format/format.ts';
import type { Playback } from '../../../../ui/timeline/sound/playback.ts';
import { usePicture } from '../../../../ui/timeline/spectrogram/use-picture.ts';
import type { SpectrogramStatus } from '../../../../ui/timeline/spectrogram/use-spectrogram-source.ts';
import { useSize } from '../../../../ui/timeline/view/use-size.ts';
import styles from './birds.module.css';

/** What strips are drawn from. */
interface Sound {
  readonly spectrogram: SpectrogramStatus;
  readonly playback: Playback | null;
  readonly durationSeconds: number;
}
/** null without any sound */
export const StripSound = createContext<Sound | null>(null);

const STRIP_SECONDS = 6;

/** Six seconds of the recording with a bird's best moment in the middle; near its ends or in a short one, as close as possible. */
export function aroundBest({ startSeconds, endSeconds }: Span, durationSeconds: number): Span {
  const span = Math.min(Math.max(STRIP_SECONDS, endSeconds - startSeconds), durationSeconds);
  const start = Math.min(Math.max(0, (startSeconds + endSeconds - span) / 2), durationSeconds - span);
  return { startSeconds: start, endSeconds: start + span };
}

/** What is played of a bird's best moment: a second more on both sides. */
export const withMargin = ({ startSeconds, endSeconds }: Span, durationSeconds: number): Span => ({
  startSeconds: Math.max(0, startSeconds - 1),
  endSeconds: Math.min(durationSeconds, endSeconds + 1),
});

const mayCome: readonly SpectrogramStatus['kind'][] = ['decoding', 'fetching', 'ready'];

/** The spectrogram of a passage, with a playhead. Decorative: the play button beside it says what it is. Nothing without a picture. */
export function BestStrip({ passage }: { readonly passage: Span }) {
  const sound = useContext(StripSound);
  return sound !== null && mayCome.includes(sound.spectrogram.kind) ? <Strip passage={passage} sound={sound} /> : null;
}

function Strip({ passage: { startSeconds, endSeconds }, sound }: { readonly passage: Span; readonly sound: Sound }) {
  const { spectrogram, playback } = sound;
  const { element, width } = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const playhead = useRef<HTMLDivElement>(null);
  const source = spectrogram.kind === 'ready' ? spectrogram.source : null;
  const spanSeconds = endSeconds - startSeconds;

  usePicture(canvas, source, { startSeconds, endSeconds }, width);
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
