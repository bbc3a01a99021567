import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Mark } from './mark.ts';
import type { Playback } from './playback.ts';
import { SpectrogramCanvas } from './spectrogram-canvas.tsx';
import { timeLabel } from './time-label.ts';
import styles from './timeline.module.css';
import { useSize } from './use-size.ts';
import type { SpectrogramStatus } from './use-spectrogram-source.ts';
import { useTimelineGestures } from './use-timeline-gestures.ts';
import { percentOf, timeTicks, type View } from './view.ts';

interface Properties {
  readonly spectrogram: SpectrogramStatus;
  readonly view: View;
  readonly durationSeconds: number;
  readonly palette: 'viridis' | 'grey';
  readonly maxHz: number;
  readonly marks: readonly Mark[];
  /** Pointed at or focused: their outline is drawn strongly, with the name. */
  readonly shownMarks: readonly Mark[];
  readonly soundingIds: readonly string[];
  readonly playback: Playback | null;
  readonly onView: (view: View) => void;
  readonly onSeek: (seconds: number) => void;
}

/** More outlines than this would be a fence in front of the picture; the lanes still show all. */
const mostOutlines = 12;

/** Labels at either end are drawn inwards, where nothing cuts them off. */
const edgeOf = (percent: number): 'start' | 'end' | undefined => (percent < 2 ? 'start' : percent > 97 ? 'end' : undefined);

export function TimelinePlot(properties: Properties) {
  const { spectrogram, view, durationSeconds, palette, maxHz, marks, shownMarks, soundingIds, playback, onView, onSeek } =
    properties;
  const { t } = useTranslation();
  const { element: plot, width, height } = useSize<HTMLDivElement>();
  const playhead = useRef<HTMLDivElement>(null);
  const gestures = useTimelineGestures({ plot, view, durationSeconds, onView, onSeek });
  const { ticks, stepSeconds } = timeTicks(view, Math.max(2, width / 70));
  const kiloHertz = Array.from({ length: Math.floor(maxHz / 3000) }, (_, index) => (index + 1) * 3);
  const hasImage = spectrogram.kind === 'ready' || spectrogram.kind === 'decoding';

  useEffect(() => {
    const show = (seconds: number) => {
      if (playhead.current) playhead.current.style.left = `${percentOf(view, seconds)}%`;
      // Told to assistive technology when it stands still: a slider that talks on every frame says nothing.
      if (plot.current && playback?.status() !== 'playing') {
        plot.current.setAttribute('aria-valuenow', seconds.toFixed(1));
        plot.current.setAttribute(
          'aria-valuetext',
          t('timeline.position', { at: timeLabel(seconds, 1), of: timeLabel(durationSeconds, 1) }),
        );
      }
    };
    show(playback?.positionSeconds() ?? 0);
    return playback?.onPosition(show);
  }, [playback, view, plot, durationSeconds, t]);

  const outlined = marks.filter(
    ({ startSeconds, endSeconds }) => endSeconds > view.startSeconds && startSeconds < view.endSeconds,
  );
  return (
    <div className={styles.plotRow}>
      <div className={styles.frequencyAxis} aria-hidden="true">
        {spectrogram.kind === 'ready' &&
          kiloHertz.map((kHz) => (
            <span key={kHz} style={{ bottom: `${(kHz * 100_000) / maxHz}%` }}>
              {kHz}
              {kHz * 1000 > maxHz - 3000 && ' kHz'}
            </span>
          ))}
      </div>
      <div
        ref={plot}
        className={styles.plot}
        data-image={hasImage}
        data-palette={palette}
        role="slider"
        tabIndex={0}
        aria-label={t('timeline.playhead')}
        aria-valuemin={0}
        aria-valuemax={Number(durationSeconds.toFixed(1))}
        aria-valuenow={0}
        {...gestures}
      >
        {spectrogram.kind === 'ready' && (
          <SpectrogramCanvas
            source={spectrogram.source}
            view={view}
            maxHz={maxHz}
            palette={palette}
            width={width}
            height={height}
          />
        )}
        {spectrogram.kind !== 'ready' && (
          <p className={styles.instead}>
            {spectrogram.kind === 'decoding' && t('timeline.decoding')}
            {spectrogram.kind === 'undecodable' && t('timeline.undecodable')}
            {spectrogram.kind === 'tooLong' && t('timeline.tooLong')}
          </p>
        )}
        <div className={styles.overlay} aria-hidden="true">
          {(outlined.length <= mostOutlines ? outlined : []).map(({ id, startSeconds, endSeconds }) => (
            <div
              key={id}
              className={styles.outline}
              data-sounding={soundingIds.includes(id)}
              style={{ left: `${percentOf(view, startSeconds)}%`, right: `${100 - percentOf(view, endSeconds)}%` }}
            />
          ))}
          {shownMarks.map(({ id, label, language, startSeconds, endSeconds }, index) => (
            <div
              key={id}
              className={styles.shownOutline}
              style={{ left: `${percentOf(view, startSeconds)}%`, right: `${100 - percentOf(view, endSeconds)}%` }}
            >
              {index === 0 && <span lang={language}>{label}</span>}
            </div>
          ))}
          <div ref={playhead} className={styles.playhead} data-testid="playhead" />
        </div>
      </div>
      <div className={styles.timeAxis} aria-hidden="true">
        {ticks.map((seconds) => (
          <span key={seconds} data-edge={edgeOf(percentOf(view, seconds))} style={{ left: `${percentOf(view, seconds)}%` }}>
            {timeLabel(seconds, stepSeconds < 0.1 ? 2 : stepSeconds < 1 ? 1 : 0)}
          </span>
        ))}
      </div>
    </div>
  );
}
