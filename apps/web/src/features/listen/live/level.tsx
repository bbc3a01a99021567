import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from '../listen.module.css';
import type { LiveSession } from './live-session.ts';

/** From this level on, a sample counts as clipped. */
const CLIPPED_FROM = 0.99;
/** −50 dB: below this, faint birds are lost in the microphone's own noise. */
const QUIET_BELOW = 0.003;
const QUIETEST_DECIBELS = -60;
const LOOK_EVERY_MS = 250;
const CLIPPED_SHOWN_MS = 3000;
/** Silence between two birds is normal. */
const QUIET_AFTER_MS = 8000;

type Hint = 'clipped' | 'quiet' | null;

/** The input level, with advice if it is too high or too low. */
export function Level({ session }: { readonly session: LiveSession }) {
  const { t } = useTranslation();
  const bar = useRef<HTMLDivElement>(null);
  const [hint, setHint] = useState<Hint>(null);
  useEffect(() => {
    let clippedMs = Number.NEGATIVE_INFINITY;
    let audibleMs = performance.now();
    const look = () => {
      const nowMs = performance.now();
      const peak = session.peak();
      if (peak >= CLIPPED_FROM) clippedMs = nowMs;
      if (peak >= QUIET_BELOW) audibleMs = nowMs;
      setHint(nowMs - clippedMs < CLIPPED_SHOWN_MS ? 'clipped' : nowMs - audibleMs > QUIET_AFTER_MS ? 'quiet' : null);
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    let frame = 0;
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const decibels = 20 * Math.log10(Math.max(session.peak(), 1e-6));
      const share = Math.max(0, 1 - decibels / QUIETEST_DECIBELS);
      bar.current?.style.setProperty('transform', `scaleX(${share})`);
    };
    frame = requestAnimationFrame(draw);
    return () => {
      clearInterval(timer);
      cancelAnimationFrame(frame);
    };
  }, [session]);
  return (
    <div className="stack gap-small">
      <div className="progress" aria-hidden="true">
        <div ref={bar} className={styles.levelBar} data-clipped={hint === 'clipped'} />
      </div>
      <p role="status" className="soft">
        {hint !== null && t(`listen.${hint}`)}
      </p>
    </div>
  );
}
