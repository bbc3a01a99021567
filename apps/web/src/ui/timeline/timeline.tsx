import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { Button } from '../button.tsx';
import { keysShown } from '../keys/keys-shown.ts';
import { isUnder, type Mark } from './marks/mark.ts';
import { MarkLanes } from './marks/mark-lanes.tsx';
import { findGaps } from './sound/sound-clock.ts';
import type { ServedRecording, usePlayback } from './sound/use-playback.tsx';
import { hasBlanks, type SpectrogramStatus } from './spectrogram/use-spectrogram-source.ts';
import styles from './timeline.module.css';
import { TimelinePlot } from './timeline-plot.tsx';
import { TimelineToolbar } from './timeline-toolbar.tsx';
import { revealMoment, showPassage, spanOf, wholeView, zoomView } from './view/view.ts';
import { createViewport, useSettledView, writeView } from './view/viewport.ts';

interface Properties {
  readonly spectrogram: SpectrogramStatus;
  /** The local file; null when there is none. */
  readonly recording: Blob | null;
  /** The sound kept by the server, for what the browser cannot decode or hold; undefined while unknown. */
  readonly served: ServedRecording | null | undefined;
  readonly durationSeconds: number;
  readonly marks: readonly Mark[];
  /** Also the lanes of birds that the answer does not name. */
  readonly withUnnamed: boolean;
  readonly sound: Pick<ReturnType<typeof usePlayback>, 'playback' | 'trouble' | 'playsFile'>;
  /** Whether there is something to hear, here or on the server, even if it is still loading. */
  readonly hasSound: boolean;
  /** One line that describes the picture; assistive technology reads it instead of the picture. */
  readonly summary: string;
}

const ZOOM_STEP = 1.6;

/** The recording over time: spectrogram, playhead, and lanes of what was heard. It can be played, zoomed and navigated by keyboard. */
export function Timeline({
  spectrogram,
  recording,
  served,
  durationSeconds,
  marks,
  withUnnamed,
  sound,
  hasSound,
  summary,
}: Properties) {
  const { t } = useTranslation();
  const { playback, trouble, playsFile } = sound;
  const viewport = useMemo(() => createViewport(wholeView(durationSeconds)), [durationSeconds]);
  const view = useSettledView(viewport);
  const [maxHz, setMaxHz] = useState(12_000);
  const [shownMarks, setShownMarks] = useState<readonly Mark[]>([]);
  const [soundingIds, setSoundingIds] = useState<readonly string[]>([]);
  const summaryId = useId();
  const keysId = useId();
  const isHatched = hasBlanks(spectrogram);
  // A file that plays and is not drawn with blanks is complete, whatever the server keeps of it.
  const notKept = findGaps(playsFile && !isHatched ? undefined : served?.excerpts, durationSeconds);
  const position = useRef(0);
  const axis = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLParagraphElement>(null);

  useLayoutEffect(() => {
    const element = axis.current;
    if (!element) return undefined;
    writeView(element, viewport.view());
    return viewport.onFrame((present) => writeView(element, present));
  }, [viewport]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another recording begins at its beginning
  useEffect(() => {
    position.current = 0;
  }, [recording, served]);
  useEffect(() => {
    // The user may have moved the playhead while the server was still preparing the sound.
    if (playback && position.current > 0) playback.seek(position.current);
  }, [playback]);

  useEffect(() => {
    let shown = '';
    return playback?.onPosition((seconds) => {
      position.current = seconds;
      if (playback.status.snapshot() === 'playing') viewport.change((present) => revealMoment(present, seconds, durationSeconds));
      const sounding =
        playback.status.snapshot() === 'playing' ? marks.filter((mark) => isUnder(mark, seconds)).map(({ id }) => id) : [];
      if (sounding.join() === shown) return; // React is notified of changes only, not of every frame
      shown = sounding.join();
      setSoundingIds(sounding);
    });
  }, [playback, marks, durationSeconds, viewport]);

  const zoom = useCallback(
    (factor: number) =>
      viewport.change((present) => {
        const seen = position.current >= present.startSeconds && position.current <= present.endSeconds;
        const anchor = seen ? position.current : present.startSeconds + spanOf(present) / 2;
        return zoomView(present, factor, anchor, durationSeconds);
      }),
    [durationSeconds, viewport],
  );
  const seek = (seconds: number) => {
    const target = Math.min(Math.max(0, seconds), durationSeconds);
    position.current = target;
    playback?.seek(target);
    viewport.change((present) => revealMoment(present, target, durationSeconds));
  };

  /** Handles a key. Returns false for a key that means nothing here. */
  const act = ({ key, shiftKey }: KeyboardEvent): boolean => {
    const stepSeconds = shiftKey ? 0.1 : 1;
    if (key === 'ArrowLeft') seek(position.current - stepSeconds);
    else if (key === 'ArrowRight') seek(position.current + stepSeconds);
    else if (key === 'PageUp') seek(position.current + 10);
    else if (key === 'PageDown') seek(position.current - 10);
    else if (key === 'Home') seek(0);
    else if (key === 'End') seek(durationSeconds);
    else if (key === '+' || key === '=') zoom(ZOOM_STEP);
    else if (key === '-') zoom(1 / ZOOM_STEP);
    else if (key === ' ') playback?.toggle();
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // A button keeps its own Space; shortcuts of the browser stay with the browser.
    const onButton = event.target instanceof HTMLButtonElement && event.key === ' ';
    if (!onButton && !event.ctrlKey && !event.metaKey && !event.altKey && act(event)) event.preventDefault();
  };

  const shown = { marks, view, durationSeconds, soundingIds, shownMarks };
  return (
    <div className={`stack-tight ${styles.timeline}`} data-lanes={marks.length > 0}>
      <a
        className={styles.skip}
        href={`#${summaryId}`}
        onClick={(event) => {
          // The address stays as it is.
          event.preventDefault();
          end.current?.focus();
        }}
      >
        {t('timeline.skip')}
      </a>
      <TimelineToolbar
        playback={playback}
        trouble={trouble}
        hasSound={hasSound}
        durationSeconds={durationSeconds}
        isWhole={spanOf(view) >= durationSeconds}
        hasImage={spectrogram.kind === 'ready'}
        maxHz={maxHz}
        onZoom={(direction) => zoom(direction === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP)}
        onWhole={() => viewport.set(wholeView(durationSeconds))}
        onMaxHz={setMaxHz}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: no form, but a group that gives its focusable children shared keys */}
      <div
        ref={axis}
        role="group"
        aria-label={t('timeline.label')}
        aria-describedby={`${summaryId} ${keysId}`}
        onKeyDown={onKeyDown}
      >
        <TimelinePlot {...shown} {...{ spectrogram, viewport, maxHz, notKept, playback }} onSeek={seek} />
        {spectrogram.kind === 'unavailable' && <Button onClick={spectrogram.retry}>{t('action.tryAgain')}</Button>}
        {notKept.length > 0 && (
          <p className="soft small">
            {t(!isHatched ? 'timeline.notPlayedHelp' : playsFile ? 'timeline.notDrawnHelp' : 'timeline.notKeptHelp')}
          </p>
        )}
        <MarkLanes
          {...shown}
          withUnnamed={withUnnamed}
          onPoint={setShownMarks}
          onFocus={(mark) => viewport.change((present) => revealMoment(present, mark.startSeconds, durationSeconds))}
          onPlay={({ startSeconds, endSeconds }) => playback?.playPassage(startSeconds, endSeconds)}
          onApproach={(startSeconds, endSeconds) => viewport.set(showPassage(startSeconds, endSeconds, durationSeconds))}
        />
      </div>
      <p id={summaryId} ref={end} tabIndex={-1} className={`soft small ${styles.summary}`}>
        {summary}
      </p>
      <p id={keysId} hidden>
        {t('timeline.keys')}
      </p>
      <button type="button" className={`link soft small ${styles.keys}`} onClick={() => keysShown.set(true)}>
        {t('keys.title')} <kbd>?</kbd>
      </button>
    </div>
  );
}
