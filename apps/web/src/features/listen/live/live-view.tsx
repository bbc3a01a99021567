import { isRefused } from '@chiffchaff/contract';
import { IconMapPin, IconPlayerStopFilled, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { type Translate, useTranslation } from '../../../languages/i18n.ts';
import { useStore } from '../../../platform/browser/store.ts';
import { formatList, timeLabel } from '../../../platform/format/format.ts';
import { preferences, usePreferences } from '../../../platform/storage/preferences.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CheckBox } from '../../../ui/form/check-box.tsx';
import { Popover } from '../../../ui/popover.tsx';
import { reviewOf } from '../../../ui/reviews/reviewed-name.tsx';
import styles from '../listen.module.css';
import { createLiveLevels } from './live-levels.ts';
import type { LiveSession, LiveState } from './live-session.ts';
import { Level, LiveSpectrogram } from './live-spectrogram.tsx';
import { type AboutBird, BirdNews, BirdSheet, SpeciesList } from './species-list.tsx';
import { isShown, isSinging, type SpeciesRow } from './species-rows.ts';
import { Dim, KeepMoment, LabelledIcon } from './thumb.tsx';

interface Properties {
  readonly session: LiveSession;
  readonly isEnding: boolean;
  /** Ends the session and shows its result. */
  readonly onStop: () => void;
  /** in a word */
  readonly place: string;
  readonly AboutBird: AboutBird;
  /** The place setting. */
  readonly children: ReactNode;
}

/** How long it is said that sound is missing. */
const MISSING_SECONDS = 30;
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

/** The worst of what is wrong; null if nothing is. */
function troubleIn(state: LiveState, t: Translate): string | null {
  const { playing, isCatchingUp, isBehind, isStalled, levelFault, failure, hasFailed, isFull, missing, recordedSeconds } = state;
  if (isStalled) return t('listen.stalled');
  if (hasFailed) return t('listen.recogniserFailed');
  if (isFull) return t('listen.full');
  if (playing !== null) return t('listen.paused');
  if (failure !== null) return t(`listen.failure.${failure}`);
  if (levelFault !== null) return t(`listen.${levelFault}`);
  if (isCatchingUp) return t('listen.catchingUp');
  if (missing.some(({ atSeconds }) => recordedSeconds - atSeconds < MISSING_SECONDS)) return t('listen.someMissing');
  return isBehind ? t('listen.behind') : null;
}

const VIBRATION_MS = 60;

/** Vibrates for each new bird, on devices that can, if the person wants it. */
function Vibration({ birds }: { readonly birds: number }) {
  const { t } = useTranslation();
  const { vibrate } = usePreferences();
  const before = useRef(birds);
  useEffect(() => {
    if (vibrate && birds > before.current) navigator.vibrate?.(VIBRATION_MS);
    before.current = birds;
  }, [birds, vibrate]);
  if (!('vibrate' in navigator)) return null;
  return (
    <CheckBox name="vibrate" checked={vibrate} onChange={(next) => preferences.change({ vibrate: next })}>
      {t('listen.vibrate')}
    </CheckBox>
  );
}

/** What is heard now, to be read at arm's length: fills the window of a phone. */
export function LiveView({ session, isEnding, onStop, place, AboutBird, children }: Properties) {
  const { t } = useTranslation();
  const state = useStore(session);
  const heading = useRef<HTMLHeadingElement>(null);
  const [levels] = useState(createLiveLevels);
  useEffect(() => session.onSound(levels.push), [session, levels]);
  useWakeLock();
  useEffect(() => {
    window.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  }, []);
  const [opened, setOpened] = useState<SpeciesRow | null>(null);
  const { playing, recordedSeconds, reviews } = state;
  const isLeft = ({ scientificName }: Pick<SpeciesRow, 'scientificName'>) => !isRefused(reviewOf(reviews, scientificName));
  const rows = state.rows.filter(isLeft);
  const trouble = troubleIn(state, t);
  const [wasLoading, setWasLoading] = useState(false);
  if (state.isCatchingUp && !wasLoading) setWasLoading(true);
  const shown = rows.filter(isShown);
  const nothing = rows.length === 0 ? 'nothingYet' : 'notSure';
  const singing = shown.filter((row) => isSinging(row, recordedSeconds)).length;
  return (
    <section className={styles.live} aria-labelledby="listening">
      <h1 id="listening" ref={heading} tabIndex={-1} className="visually-hidden">
        {t(isEnding ? 'listen.ending' : 'listen.listening')}
      </h1>
      {/* There before its text, which does not change again. */}
      <p role="status" className="visually-hidden">
        {wasLoading && !state.isCatchingUp && !state.hasFailed && t('listen.ready')}
      </p>
      <div className={`apart ${styles.bar}`}>
        <IconButton label={t('listen.leave')} icon={IconX} disabled={isEnding} onClick={onStop} />
        <p className={`line ${styles.time}`} role="timer">
          {timeLabel(recordedSeconds)}
        </p>
        <Popover label={place} icon={IconMapPin}>
          {children}
          <Alterations session={session} />
          <Vibration birds={shown.length} />
        </Popover>
      </div>
      <div className={styles.picture}>
        <LiveSpectrogram session={session} levels={levels} calls={state.calls.filter(isLeft)} playing={playing} />
        <Level peak={session.peak} isClipped={state.levelFault === 'clipped'} />
      </div>
      <div className={styles.sentence}>
        <p role="status">{trouble}</p>
        {trouble === null && (
          <p>{shown.length === 0 ? t(`listen.${nothing}`) : t('listen.soFar', { count: singing, all: shown.length })}</p>
        )}
      </div>
      <div className={styles.species}>
        <SpeciesList {...{ levels, rows, reviews, recordedSeconds }} onOpen={setOpened} />
      </div>
      <BirdNews rows={rows} />
      {opened && (
        <BirdSheet
          row={opened}
          session={session}
          review={reviewOf(reviews, opened.scientificName)}
          AboutBird={AboutBird}
          onClose={() => setOpened(null)}
        />
      )}
      <div className={styles.thumb}>
        <KeepMoment session={session} />
        <LabelledIcon
          icon={IconPlayerStopFilled}
          label={t(isEnding ? 'listen.ending' : 'listen.stop')}
          word={t('listen.stop')}
          className={styles.stop}
          aria-disabled={isEnding}
          onClick={isEnding ? undefined : onStop}
        />
        <Dim rows={rows} recordedSeconds={recordedSeconds} />
      </div>
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
