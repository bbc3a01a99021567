import { useEffect, useRef, useState } from 'react';
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

/** What is wrong with the input level; null if nothing is. */
export function useLevelFault({ peak }: Pick<LiveSession, 'peak'>): 'clipped' | 'quiet' | null {
  const [fault, setFault] = useState<'clipped' | 'quiet' | null>(null);
  useEffect(() => {
    let clippedMs = Number.NEGATIVE_INFINITY;
    let audibleMs = performance.now();
    const look = () => {
      const nowMs = performance.now();
      if (peak() >= CLIPPED_FROM) clippedMs = nowMs;
      if (peak() >= QUIET_BELOW) audibleMs = nowMs;
      setFault(nowMs - clippedMs < CLIPPED_SHOWN_MS ? 'clipped' : nowMs - audibleMs > QUIET_AFTER_MS ? 'quiet' : null);
    };
    const timer = setInterval(look, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [peak]);
  return fault;
}

/** The input level, drawn outside React, once per frame. */
export function Level({ peak, isClipped }: Pick<LiveSession, 'peak'> & { readonly isClipped: boolean }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      frame = requestAnimationFrame(draw);
      const decibels = 20 * Math.log10(Math.max(peak(), 1e-6));
      const share = Math.max(0, 1 - decibels / QUIETEST_DECIBELS);
      bar.current?.style.setProperty('transform', `scaleX(${share})`);
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [peak]);
  return <div ref={bar} className={styles.level} data-clipped={isClipped} aria-hidden="true" />;
}
