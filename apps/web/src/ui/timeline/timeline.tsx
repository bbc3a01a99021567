import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { preferences, usePreferences } from '../../platform/preferences.ts';
import { isUnder, type Mark } from './mark.ts';
import { MarkLanes } from './mark-lanes.tsx';
import type { Playback } from './playback.ts';
import styles from './timeline.module.css';
import { TimelinePlot } from './timeline-plot.tsx';
import { TimelineToolbar } from './timeline-toolbar.tsx';
import { useSpectrogramSource } from './use-spectrogram-source.ts';
import { panView, revealMoment, showPassage, spanOf, type View, wholeView, zoomView } from './view.ts';

interface Properties {
  readonly recording: Blob;
  readonly durationSeconds: number;
  readonly marks: readonly Mark[];
  readonly playback: Playback | null;
  /** One line that says what the picture shows; it is the picture's text for assistive technology. */
  readonly summary: string;
}

const zoomStep = 1.6;

/** The recording over time: spectrogram, playhead and what was heard in lanes. It can be heard, zoomed and walked by keyboard. */
export function Timeline({ recording, durationSeconds, marks, playback, summary }: Properties) {
  const { t } = useTranslation();
  const { spectrogramColours: palette } = usePreferences();
  const spectrogram = useSpectrogramSource(recording, durationSeconds);
  const [view, setView] = useState<View>(() => wholeView(durationSeconds));
  const [maxHz, setMaxHz] = useState(12_000);
  const [shownMarks, setShownMarks] = useState<readonly Mark[]>([]);
  const [soundingIds, setSoundingIds] = useState<readonly string[]>([]);
  const summaryId = useId();
  const keysId = useId();
  const position = useRef(0);

  useEffect(() => {
    let shown = '';
    return playback?.onPosition((seconds) => {
      position.current = seconds;
      if (playback.status() === 'playing') setView((present) => revealMoment(present, seconds, durationSeconds));
      const sounding = playback.status() === 'playing' ? marks.filter((mark) => isUnder(mark, seconds)).map(({ id }) => id) : [];
      if (sounding.join() === shown) return; // React hears of changes only, not of frames
      shown = sounding.join();
      setSoundingIds(sounding);
    });
  }, [playback, marks, durationSeconds]);

  const zoom = useCallback(
    (factor: number) =>
      setView((present) => {
        const seen = position.current >= present.startSeconds && position.current <= present.endSeconds;
        const anchor = seen ? position.current : present.startSeconds + spanOf(present) / 2;
        return zoomView(present, factor, anchor, durationSeconds);
      }),
    [durationSeconds],
  );
  const seek = (seconds: number) => {
    const target = Math.min(Math.max(0, seconds), durationSeconds);
    playback?.seek(target);
    setView((present) => revealMoment(present, target, durationSeconds));
  };

  /** Whether the key means something here. */
  const act = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const stepSeconds = shiftKey ? 0.1 : 1;
    if (key === 'ArrowLeft') seek(position.current - stepSeconds);
    else if (key === 'ArrowRight') seek(position.current + stepSeconds);
    else if (key === 'PageUp') seek(position.current + 10);
    else if (key === 'PageDown') seek(position.current - 10);
    else if (key === 'Home') seek(0);
    else if (key === 'End') seek(durationSeconds);
    else if (key === '+' || key === '=') zoom(zoomStep);
    else if (key === '-') zoom(1 / zoomStep);
    else if (key === ' ') playback?.toggle();
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A button keeps its own Space; a shortcut of the browser stays the browser's.
    const onButton = event.target instanceof HTMLButtonElement && event.key === ' ';
    if (!onButton && !event.ctrlKey && !event.metaKey && !event.altKey && act(event)) event.preventDefault();
  };

  return (
    <div className={styles.timeline}>
      <TimelineToolbar
        playback={playback}
        durationSeconds={durationSeconds}
        isWhole={spanOf(view) >= durationSeconds}
        hasImage={spectrogram.kind === 'ready'}
        palette={palette}
        maxHz={maxHz}
        onZoom={(direction) => zoom(direction === 'in' ? zoomStep : 1 / zoomStep)}
        onWhole={() => setView(wholeView(durationSeconds))}
        onPalette={(spectrogramColours) => preferences.change({ spectrogramColours })}
        onMaxHz={setMaxHz}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: no form, but a group that gives its focusable children shared keys */}
      <div role="group" aria-label={t('timeline.label')} aria-describedby={`${summaryId} ${keysId}`} onKeyDown={onKeyDown}>
        <TimelinePlot
          spectrogram={spectrogram}
          view={view}
          durationSeconds={durationSeconds}
          palette={palette}
          maxHz={maxHz}
          marks={marks}
          shownMarks={shownMarks}
          soundingIds={soundingIds}
          playback={playback}
          onView={setView}
          onSeek={seek}
        />
        <MarkLanes
          marks={marks}
          view={view}
          soundingIds={soundingIds}
          shownMarks={shownMarks}
          onPoint={setShownMarks}
          onFocus={(mark) => {
            setView((present) => {
              const seen = mark.startSeconds >= present.startSeconds && mark.startSeconds < present.endSeconds;
              return seen
                ? present
                : panView(present, mark.startSeconds - present.startSeconds - spanOf(present) * 0.1, durationSeconds);
            });
          }}
          onPlay={({ startSeconds, endSeconds }) => playback?.playPassage(startSeconds, endSeconds)}
          onApproach={(startSeconds, endSeconds) => setView(showPassage(startSeconds, endSeconds, durationSeconds))}
        />
      </div>
      <p id={summaryId} className={styles.summary}>
        {summary}
      </p>
      <p id={keysId} className={styles.keys}>
        {t('timeline.keys')}
      </p>
    </div>
  );
}
