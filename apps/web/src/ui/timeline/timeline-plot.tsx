import { type CSSProperties, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { useIsWide } from '../../platform/browser/store.ts';
import { type Span, timeLabel } from '../../platform/format/format.ts';
import { ReviewedName } from '../reviews/reviewed-name.tsx';
import { LABEL_ROW_REM, labelPixels, type Mark, mergeBars, placeLabels, type ShownMarks } from './marks/mark.ts';
import { type Playback, useSliderPosition } from './sound/playback.ts';
import { findGaps } from './sound/sound-clock.ts';
import { SpectrogramCanvas } from './spectrogram/spectrogram-canvas.tsx';
import { usePalette } from './spectrogram/use-painted-levels.ts';
import { hasBlanks, type SpectrogramStatus } from './spectrogram/use-spectrogram-source.ts';
import styles from './timeline.module.css';
import { useSize } from './view/use-size.ts';
import { useTimelineGestures } from './view/use-timeline-gestures.ts';
import { aroundView, followerStyle, percentOf, placeIn, spanOf, timeTicks, type View } from './view/view.ts';
import type { Viewport } from './view/viewport.ts';

interface Properties extends ShownMarks {
  readonly spectrogram: SpectrogramStatus;
  readonly viewport: Viewport;
  readonly maxHz: number;
  /** Stretches whose audio was not kept, as opposed to silence. */
  readonly notKept: ReturnType<typeof findGaps>;
  readonly playback: Playback | null;
  readonly onSeek: (seconds: number) => void;
}

/** Where a phone has the frequencies, in the picture (pixels), and how far from the middle of a label they have room. */
const [FIGURES_WIDTH, FIGURE_DISTANCE] = [42, 17];

/** More outlines than this would cover the picture; the lanes still show all marks. */
const MOST_OUTLINES = 12;

const reaches = (view: View, { startSeconds, endSeconds }: Span): boolean =>
  endSeconds > view.startSeconds && startSeconds < view.endSeconds;

/** The end of a label's mark, which the label does not leave when it stays in view, and how strong it is. */
const labelStyle = ({ endSeconds, confidence }: Mark) => ({ '--until': endSeconds, '--sure': confidence }) as CSSProperties;

const MarkName = ({ mark: { label, language, review } }: { readonly mark: Mark }) => (
  <span>
    <ReviewedName name={label} language={language} review={review} />
  </span>
);

/** Times at either end of the recording are drawn inwards, so that they are not cut off. */
const edgeOf = (seconds: number, view: View, durationSeconds: number): 'start' | 'end' | undefined =>
  percentOf(view, seconds) - percentOf(view, 0) < 2
    ? 'start'
    : percentOf(view, durationSeconds) - percentOf(view, seconds) < 3
      ? 'end'
      : undefined;

function TimeAxis({ view, width, durationSeconds }: Pick<Properties, 'view' | 'durationSeconds'> & { readonly width: number }) {
  const around = aroundView(view, durationSeconds);
  const { stepSeconds, ticks } = timeTicks(view, Math.max(2, width / 80), around);
  const decimals = stepSeconds < 0.1 ? 2 : stepSeconds < 1 ? 1 : 0;
  return (
    <div className={`soft small ${styles.timeAxis}`} aria-hidden="true">
      <div className={styles.strip} data-follows style={followerStyle(view, around)}>
        {ticks.map((seconds) => (
          <span
            key={seconds}
            data-edge={edgeOf(seconds, view, durationSeconds)}
            style={{ left: `${percentOf(around, seconds)}%` }}
          >
            {timeLabel(seconds, decimals, durationSeconds >= 3600)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The playhead moves on every frame, so it is written directly to the DOM. */
function usePlayhead(plot: RefObject<HTMLElement | null>, { playback, durationSeconds }: Properties) {
  const playhead = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const show = (seconds: number) => playhead.current?.style.setProperty('--at', String(seconds));
    show(playback?.positionSeconds() ?? 0);
    return playback?.onPosition(show);
  }, [playback]);
  useSliderPosition(plot, playback, durationSeconds);
  return playhead;
}

export function TimelinePlot(properties: Properties) {
  const { spectrogram, viewport, view, durationSeconds, maxHz, marks, notKept, shownMarks, soundingIds, onSeek } = properties;
  const { t } = useTranslation();
  const { element: plot, width, height } = useSize<HTMLDivElement>();
  const palette = usePalette();
  const playhead = usePlayhead(plot, properties);
  const gestures = useTimelineGestures({ plot, viewport, durationSeconds, onSeek });
  const kiloHertz = Array.from({ length: Math.floor(maxHz / 3000) }, (_, index) => (index + 1) * 3);
  const hasImage = ['ready', 'decoding', 'fetching'].includes(spectrogram.kind);

  const isHatched = hasBlanks(spectrogram);
  const named = marks.filter(({ isNamed }) => isNamed);
  const isFew = named.filter((mark) => reaches(view, mark)).length <= MOST_OUTLINES;
  const around = aroundView(view, durationSeconds);
  const outlined = hasImage && isFew ? named.filter((mark) => reaches(around, mark)) : [];
  const roomOf = ({ label }: Mark) => (width > 0 ? (labelPixels(label) / width) * spanOf(view) : 0);
  // A mark that is pointed at has the only label.
  const labels = shownMarks.length > 0 ? [] : placeLabels(outlined, roomOf, durationSeconds, height);
  const [shownMark] = shownMarks;
  const hasFiguresBeside = useIsWide(40);
  const atFigures = (shownMark ? [{ ...shownMark, row: 0 }] : labels).filter(
    (label) => reaches(view, label) && percentOf(view, label.startSeconds) * width < 100 * FIGURES_WIDTH,
  );
  const isCovered = (kHz: number) =>
    atFigures.some(({ row }) => {
      const fromTop = height * (1 - (kHz * 1000) / maxHz);
      return Math.abs(fromTop - 16 * LABEL_ROW_REM * (row + 0.75)) < FIGURE_DISTANCE;
    });
  const own = shownMark && marks.filter(({ lane }) => lane === shownMark.lane);
  return (
    <div className={styles.plotRow} data-palette={spectrogram.kind === 'ready' ? palette : undefined}>
      <div className={`soft small ${styles.frequencyAxis}`} aria-hidden="true">
        {spectrogram.kind === 'ready' &&
          kiloHertz.map((kHz) => (
            <span key={kHz} hidden={!hasFiguresBeside && isCovered(kHz)} style={{ bottom: `${(kHz * 100_000) / maxHz}%` }}>
              {kHz}
              {kHz * 1000 > maxHz - 3000 && ' kHz'}
            </span>
          ))}
      </div>
      <div
        ref={plot}
        className={styles.plot}
        data-image={hasImage}
        role="slider"
        tabIndex={0}
        aria-label={t('timeline.playhead')}
        aria-valuemin={0}
        aria-valuemax={Number(durationSeconds.toFixed(1))}
        aria-valuenow={0}
        {...gestures}
      >
        {spectrogram.kind === 'ready' ? (
          <SpectrogramCanvas
            source={spectrogram.source}
            viewport={viewport}
            durationSeconds={durationSeconds}
            maxHz={maxHz}
            palette={palette}
            width={width}
            height={height}
          />
        ) : (
          <p className={`soft small ${styles.instead}`}>{t(`timeline.${spectrogram.kind}`)}</p>
        )}
        <div className={styles.overlay} aria-hidden="true">
          <div className={styles.strip} data-follows style={followerStyle(view, around)}>
            {notKept
              .filter((stretch) => reaches(around, stretch))
              .map((stretch) => (
                <div
                  key={stretch.startSeconds}
                  className={styles.notKept}
                  data-hatched={isHatched}
                  style={placeIn(around, stretch)}
                >
                  <span>{t('timeline.notKept')}</span>
                </div>
              ))}
            {/* Everything but the shown bird's columns. */}
            {own &&
              findGaps(mergeBars(own, view, width), durationSeconds)
                .filter((gap) => reaches(around, gap))
                .map((gap) => (
                  <div key={gap.startSeconds} className={styles.faded} data-testid="faded" style={placeIn(around, gap)} />
                ))}
            {/* Without a picture, the strip is drawn from the detections. */}
            {!hasImage &&
              mergeBars(named, view, width)
                .filter((bar) => reaches(around, bar))
                .map((bar) => (
                  <div key={bar.startSeconds} className={styles.presence} data-testid="presence" style={placeIn(around, bar)} />
                ))}
            {outlined.map((mark) => (
              <div
                key={mark.id}
                className={styles.outline}
                data-faint={mark.isFaint}
                data-sounding={soundingIds.includes(mark.id)}
                style={placeIn(around, mark)}
              />
            ))}
            {shownMarks.map((mark) => (
              <div key={mark.id} className={styles.shownOutline} style={placeIn(around, mark)} />
            ))}
          </div>
          {labels.map(({ mark, row, startSeconds, endSeconds }) => (
            <div
              key={mark.id}
              className={styles.label}
              data-label
              data-follows
              style={{
                ...followerStyle(view, { startSeconds, endSeconds }),
                ...labelStyle(mark),
                top: `${row * LABEL_ROW_REM}rem`,
              }}
            >
              <MarkName mark={mark} />
            </div>
          ))}
          {shownMark && (
            <div
              className={styles.shownLabel}
              data-follows
              data-anchor={percentOf(view, shownMark.startSeconds) > 50 ? 'end' : 'start'}
              style={{ ...followerStyle(view, shownMark), ...labelStyle(shownMark) }}
            >
              <MarkName mark={shownMark} />
            </div>
          )}
          <div
            ref={playhead}
            className={styles.playhead}
            data-follows
            data-testid="playhead"
            style={{ '--from': view.startSeconds, '--span': spanOf(view) } as CSSProperties}
          />
        </div>
      </div>
      <TimeAxis view={view} width={width} durationSeconds={durationSeconds} />
    </div>
  );
}
