import { IconArrowAutofitWidth, IconPlayerPauseFilled, IconPlayerPlayFilled, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../../languages/i18n.ts';
import { timeLabel } from '../../platform/format/format.ts';
import { preferences, usePreferences } from '../../platform/storage/preferences.ts';
import { IconButton } from '../button.tsx';
import { Popover } from '../popover.tsx';
import { AidsOn } from './sound/aids-on.tsx';
import { gains, highPasses, type ListeningAids, readAids } from './sound/listening-aids.ts';
import { type Playback, usePlaybackStatus } from './sound/playback.ts';
import type { SoundTrouble } from './sound/use-playback.tsx';
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
      <span ref={reading} data-testid="position" />{' '}
      <span className={`soft ${styles.total}`}>/ {timeLabel(durationSeconds, 1)}</span>
    </span>
  );
}

type SettingsProperties = Pick<Properties, 'hasImage' | 'hasSound' | 'maxHz' | 'onMaxHz'>;

/** How the recording is drawn and played; nothing of it is in what is downloaded. */
function Settings({ hasImage, hasSound, maxHz, onMaxHz }: SettingsProperties) {
  const { t, i18n } = useTranslation();
  const { spectrogramColours, listeningAids } = usePreferences();
  const aids = readAids(listeningAids);
  const change = (part: Partial<ListeningAids>) => preferences.change({ listeningAids: { ...aids, ...part } });
  const check = (label: string, checked: boolean, onCheck: (checked: boolean) => void) => (
    <label className="apart finger">
      {label}
      <input type="checkbox" checked={checked} onChange={({ target }) => onCheck(target.checked)} />
    </label>
  );
  return (
    <Popover label={t('timeline.settings')}>
      <div>
        {hasSound && (
          <>
            <label className="apart finger">
              {t('timeline.highPass')}
              <select
                value={aids.highPassHz}
                onChange={({ target }) => change({ highPassHz: highPasses.find((hz) => hz === Number(target.value)) ?? 0 })}
              >
                {highPasses.map((hz) => (
                  <option key={hz} value={hz}>
                    {hz === 0 ? t('timeline.off') : t('timeline.below', { hz: hz.toLocaleString(i18n.language) })}
                  </option>
                ))}
              </select>
            </label>
            <label className="apart finger">
              {t('timeline.gain')}
              <select
                value={aids.gainDecibels}
                onChange={({ target }) => change({ gainDecibels: gains.find((gain) => gain === Number(target.value)) ?? 0 })}
              >
                {gains.map((gain) => (
                  <option key={gain} value={gain}>
                    {gain === 0 ? t('timeline.off') : `+${gain} dB`}
                  </option>
                ))}
              </select>
            </label>
            {check(t('timeline.halfSpeed'), aids.isHalfSpeed, (isHalfSpeed) => change({ isHalfSpeed }))}
            {check(t('timeline.loop'), aids.isLooped, (isLooped) => change({ isLooped }))}
          </>
        )}
        {hasImage && check(t('timeline.highRange'), maxHz > 12_000, (isHigh) => onMaxHz(isHigh ? 15_000 : 12_000))}
        {check(t('timeline.colours'), spectrogramColours === 'viridis', (isColoured) =>
          preferences.change({ spectrogramColours: isColoured ? 'viridis' : 'ink' }),
        )}
      </div>
    </Popover>
  );
}

export function TimelineToolbar({ playback, trouble, durationSeconds, isWhole, onZoom, onWhole, ...settings }: Properties) {
  const { t } = useTranslation();
  const status = usePlaybackStatus(playback);
  const { hasSound } = settings;
  const isUnplayable = trouble !== null || status === 'unplayable';
  return (
    <>
      <div className={`cluster ${styles.toolbar}`}>
        {isUnplayable && (
          <p className="soft" role="status">
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
        <div className={`cluster ${styles.tools}`}>
          <Settings {...settings} />
          <IconButton label={t('timeline.zoomOut')} icon={IconZoomOut} disabled={isWhole} onClick={() => onZoom('out')} />
          <IconButton label={t('timeline.zoomIn')} icon={IconZoomIn} onClick={() => onZoom('in')} />
          <IconButton label={t('timeline.whole')} icon={IconArrowAutofitWidth} disabled={isWhole} onClick={onWhole} />
        </div>
      </div>
      {/* On a line of its own, so that no tool moves as it comes. */}
      {hasSound && <AidsOn />}
    </>
  );
}
