import {
  IconArrowAutofitWidth,
  IconPalette,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';
import { type ComponentProps, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { timeLabel } from '../../platform/format/format.ts';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { IconButton } from '../button.tsx';
import type { Playback } from './sound/playback.ts';
import { type SoundTrouble, usePlaybackStatus } from './sound/use-playback.tsx';
import styles from './timeline.module.css';

interface Properties {
  readonly playback: Playback | null;
  /** Why there is nothing to play (yet). */
  readonly trouble: SoundTrouble | null;
  readonly hasSound: boolean;
  readonly durationSeconds: number;
  readonly isWhole: boolean;
  readonly hasImage: boolean;
  readonly maxHz: number;
  readonly onZoom: (direction: 'in' | 'out') => void;
  readonly onWhole: () => void;
  readonly onMaxHz: (maxHz: number) => void;
}

/** The position of the playhead; it changes on every frame, so it is written directly to the DOM. */
function PositionReading({ playback, durationSeconds }: Pick<Properties, 'playback' | 'durationSeconds'>) {
  const reading = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = (seconds: number) => {
      if (reading.current) reading.current.textContent = timeLabel(seconds, 1);
    };
    write(playback?.positionSeconds() ?? 0);
    return playback?.onPosition(write);
  }, [playback]);
  return (
    <span className={styles.reading}>
      <span ref={reading} data-testid="position" /> <span className={styles.total}>/ {timeLabel(durationSeconds, 1)}</span>
    </span>
  );
}

const Tool = (properties: ComponentProps<typeof IconButton>) => <IconButton {...properties} className={styles.tool} />;

export function TimelineToolbar(properties: Properties) {
  const { playback, trouble, hasSound, durationSeconds, isWhole, hasImage, maxHz } = properties;
  const { onZoom, onWhole, onMaxHz } = properties;
  const { spectrogramColours: colours } = usePreferences();
  const { t } = useTranslation();
  const status = usePlaybackStatus(playback);
  const isUnplayable = trouble !== null || status === 'unplayable';
  return (
    <div className={styles.toolbar}>
      {isUnplayable && (
        <p className={styles.unplayable} role="status">
          {t(trouble === null ? 'timeline.unplayable' : `timeline.sound.${trouble}`)}
        </p>
      )}
      {hasSound && !isUnplayable && (
        <button type="button" className={`button ${styles.play}`} onClick={() => playback?.toggle()} disabled={!playback}>
          {status === 'playing' ? <IconPlayerPauseFilled aria-hidden="true" /> : <IconPlayerPlayFilled aria-hidden="true" />}
          <span className={styles.playWords}>{status === 'playing' ? t('timeline.pause') : t('timeline.play')}</span>
        </button>
      )}
      <PositionReading playback={playback} durationSeconds={durationSeconds} />
      <div className={styles.tools}>
        {hasImage && (
          <>
            <button
              type="button"
              className={styles.tool}
              title={`15 kHz${t('timeline.highRange')}`}
              aria-pressed={maxHz > 12_000}
              onClick={() => onMaxHz(maxHz > 12_000 ? 12_000 : 15_000)}
            >
              <span aria-hidden="true">15 kHz</span>
              <span className="visually-hidden">{t('timeline.highRange')}</span>
            </button>
            <Tool
              label={t('timeline.colours')}
              icon={IconPalette}
              aria-pressed={colours === 'viridis'}
              onClick={() => preferences.change({ spectrogramColours: colours === 'ink' ? 'viridis' : 'ink' })}
            />
          </>
        )}
        <Tool label={t('timeline.zoomOut')} icon={IconZoomOut} disabled={isWhole} onClick={() => onZoom('out')} />
        <Tool label={t('timeline.zoomIn')} icon={IconZoomIn} onClick={() => onZoom('in')} />
        <Tool label={t('timeline.whole')} icon={IconArrowAutofitWidth} disabled={isWhole} onClick={onWhole} />
      </div>
    </div>
  );
}
