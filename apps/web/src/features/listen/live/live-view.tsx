import { IconPlayerStopFilled } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from '../../../platform/browser/store.ts';
import { formatDuration, formatList, timeLabel } from '../../../platform/format/format.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import styles from '../listen.module.css';
import { Level } from './level.tsx';
import type { LiveSession } from './live-session.ts';
import { LiveSpectrogram } from './live-spectrogram.tsx';
import { NewBirds, SpeciesList } from './species-list.tsx';

interface Properties {
  readonly session: LiveSession;
  readonly isEnding: boolean;
  readonly onStop: () => void;
  /** The place setting. */
  readonly children: ReactNode;
}

/** Twice the highest frequency that the recogniser hears. */
const ENOUGH_HZ = 30_000;

/** Where the device ignores the requested settings. */
function Alterations({ session }: Pick<Properties, 'session'>) {
  const { t, i18n } = useTranslation();
  const { alterations, lowerSampleRate } = session.microphone.settings;
  const kilohertz = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  if (alterations.length === 0 && lowerSampleRate === null) return null;
  const names = alterations.map((name) => t(`listen.alteration.${name}`));
  return (
    <p className="soft">
      {names.length > 0 && `${t('listen.altered', { names: formatList(names, i18n.language) })} `}
      {lowerSampleRate !== null && t('listen.lowerRate', { rate: kilohertz.format(lowerSampleRate / 1000) })}{' '}
      {lowerSampleRate !== null && lowerSampleRate < ENOUGH_HZ && t('listen.highMissing')}
    </p>
  );
}

/** What is heard now: spectrogram, level, time, and one row per species. */
export function LiveView({ session, isEnding, onStop, children }: Properties) {
  const { t, i18n } = useTranslation();
  const state = useStore(session);
  const heading = useRef<HTMLHeadingElement>(null);
  useWakeLock();
  useEffect(() => {
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  const { rows, playing, recordedSeconds, isBehind, isStalled, failure, hasFailed, isFull, missing } = state;
  const missingSeconds = missing.reduce((sum, gap) => sum + gap.missingSeconds, 0);
  return (
    <section className="stack" aria-labelledby="listening">
      <div className="cluster">
        <h1 id="listening" ref={heading} tabIndex={-1} className={styles.title}>
          {t(isEnding ? 'listen.ending' : 'listen.listening')}
        </h1>
        <p className={styles.time} role="timer">
          {timeLabel(recordedSeconds)}
        </p>
        <Button icon={IconPlayerStopFilled} look="main" isDisabled={isEnding} onClick={() => onStop()}>
          {t('listen.stop')}
        </Button>
      </div>
      <div className="stack-tight">
        <LiveSpectrogram microphone={session.microphone} />
        <Level session={session} />
      </div>
      <Alterations session={session} />
      {isStalled && <Notice tone="warning" title={t('listen.stalled')} announce />}
      {isFull && <Notice tone="information" title={t('listen.full')} announce />}
      {failure !== null && <Notice tone="warning" title={t(`listen.failure.${failure}`)} announce />}
      {hasFailed && <Notice tone="warning" title={t('listen.recogniserFailed')} announce />}
      {isBehind && <Notice tone="information" title={t('listen.behind')} />}
      {missingSeconds > 0 && !isStalled && (
        <p className="soft">{t('listen.missing', { duration: formatDuration(Math.round(missingSeconds), i18n.language) })}</p>
      )}
      {rows.length === 0 && <p className={`soft ${styles.none}`}>{t('listen.nothingYet')}</p>}
      <SpeciesList rows={rows} playing={playing} recordedSeconds={recordedSeconds} onPlay={(row) => void session.play(row)} />
      <p role="status" className="soft">
        {playing !== null && t('listen.paused')}
      </p>
      <NewBirds rows={rows} />
      {children}
    </section>
  );
}

/** Keeps the screen on if the browser can: a phone that goes to sleep may take the microphone away. */
function useWakeLock(): void {
  useEffect(() => {
    let isOver = false;
    let lock: WakeLockSentinel | null = null;
    const hold = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      const next = await navigator.wakeLock.request('screen').catch(() => null); // refused on low battery
      if (isOver) void next?.release();
      else lock = next;
    };
    void hold();
    // The browser releases it when the page is hidden.
    const again = () => void hold();
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', again);
      void lock?.release();
    };
  }, []);
}
